// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Colours. Those of kinds are the same on light and dark; everything else is in css/theme.css. */

/** Kinds that come in pairs (gather and scatter, send and recv) are neighbours in hue. */
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

/** A colour of css/theme.css as it is in the theme that is shown: "#rrggbb". */
export function themeColor(name) {
  const key = `${name} ${document.documentElement.dataset.theme} ${kDark.matches}`;
  if (!known.has(key)) {
    known.set(key, resolvedColor(name));
  }
  return known.get(key);
}

/** Only a property that takes a colour has light-dark() resolved: it costs a new layout, so each is asked for once. */
function resolvedColor(name) {
  const probe = document.documentElement;
  probe.style.outlineColor = `var(--${name})`;
  const channels = getComputedStyle(probe).outlineColor.match(/\d+/g).slice(0, 3);
  probe.style.outlineColor = "";
  return `#${channels.map((value) => Number(value).toString(16).padStart(2, "0")).join("")}`;
}

/** The page's font: a canvas does not inherit it. */
export function themeFont() {
  return getComputedStyle(document.documentElement).fontFamily;
}

/** Between two colours "#rrggbb": 0 is the first, 1 the second. */
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

/** WCAG's relative luminance of "#rrggbb": 0 is black, 1 white. */
function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The text colour that is read best on `fill`. */
export function textOn(fill) {
  const kEqual = 0.18; // the luminance on which black and white have the same contrast
  return luminance(fill) > kEqual ? kDarkText : kLightText;
}
