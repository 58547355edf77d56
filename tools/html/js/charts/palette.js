// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Colours. Kinds have the same colours in light and dark mode; css/theme.css defines all others. */

/** Paired kinds (gather and scatter, send and recv) have similar hues. */
const kKindColors = {
  all_reduce: "#4f83e0",
  all_gather: "#1fa790",
  reduce_scatter: "#e8943a",
  all_to_all: "#c264b4",
  broadcast: "#9277dc",
  reduce: "#6fb3f2",
  gather: "#79cfa4",
  scatter: "#ecc26a",
  send: "#dd6058",
  recv: "#f0938a",
  barrier: "#98a1ad",
  other: "#bda888",
};

export function kindColor(kind) {
  return kKindColors[kind] ?? kKindColors.other;
}

const kDark = matchMedia("(prefers-color-scheme: dark)");
const known = new Map();

/** Returns a colour of css/theme.css in the current theme, as "#rrggbb". */
export function themeColor(name) {
  const key = `${name} ${document.documentElement.dataset.theme} ${kDark.matches}`;
  if (!known.has(key)) {
    known.set(key, resolvedColor(name));
  }
  return known.get(key);
}

/**
 * Resolves a colour through an element's style: browsers evaluate light-dark() only there. Forces a layout, so
 * themeColor() caches the result.
 */
function resolvedColor(name) {
  const probe = document.documentElement;
  probe.style.outlineColor = `var(--${name})`;
  const channels = getComputedStyle(probe).outlineColor.match(/\d+/g).slice(0, 3);
  probe.style.outlineColor = "";
  return `#${channels.map((value) => Number(value).toString(16).padStart(2, "0")).join("")}`;
}

/** Returns the page's font, which a canvas does not inherit. */
export function themeFont() {
  return getComputedStyle(document.documentElement).fontFamily;
}

/** Interpolates between two "#rrggbb" colours: share 0 returns `from`, 1 returns `to`. */
export function mix(from, to, share) {
  const channel = (at) => {
    const [a, b] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

const kDarkText = "#10151d";
const kLightText = "#f2f5f9";

/** Returns the relative luminance (WCAG) of "#rrggbb": 0 for black, 1 for white. */
function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the text colour with the better contrast on `fill`. */
export function textOn(fill) {
  const kEqual = 0.18; // the luminance at which black and white text have equal contrast
  return luminance(fill) > kEqual ? kDarkText : kLightText;
}
