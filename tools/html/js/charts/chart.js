// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, say } from "../dom.js";

/** The tooltip at the pointer. Replaces that of ECharts, which would interpret names from the job as markup. */

const kGap = 14;

/** @param {[string, string][]} lines names and values; the first line is the title */
export function showTip(lines, x, y) {
  const tip = byId("tip");
  const [[title], ...rest] = lines;
  tip.replaceChildren(
    h("p", { class: "title" }, title),
    h("dl", null, ...rest.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
  );
  tip.hidden = false;
  const left = x + kGap + tip.offsetWidth > innerWidth ? x - kGap - tip.offsetWidth : x + kGap;
  const top = y + kGap + tip.offsetHeight > innerHeight ? y - kGap - tip.offsetHeight : y + kGap;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

export function hideTip() {
  byId("tip").hidden = true;
}

/**
 * A chart with keyboard and screen reader support. Arrow keys, Home and End move a focus frame between items, a screen
 * reader reads each item out, and Enter acts as a click. A table holds the same data as each chart.
 */

/**
 * @typedef {Object} Item an item of the chart; its box is in pixels
 * @property {{x: number, y: number, width: number, height: number}} box
 */

/**
 * @typedef {Object} Picture the current content of a chart
 * @property {Object} option for ECharts; the `dataIndex` of an item is its position
 * @property {(position: number) => {x: number, y: number, width: number, height: number}} boxOf
 * @property {number} count number of items
 * @property {(position: number, key: string) => number} neighbour the item that an arrow key moves to
 * @property {(position: number) => [string, string][]} describe lines of name and value; the first line is the title
 * @property {(position: number) => void} [enter]
 * @property {() => void} [leave] called on Backspace and Escape
 */

export class Chart {
  /**
   * @param {string} label the chart's name for screen readers
   * @param {(width: number, height: number) => Picture} draw
   */
  constructor(label, draw) {
    this.draw = draw;
    this.at = 0;
    this.canvas = h("div", { class: "canvas", "aria-hidden": "true" });
    this.frame = h("div", { class: "frame", hidden: true });
    this.element = h(
      "div",
      { class: "chart", tabindex: "0", role: "application", "aria-label": label },
      this.canvas,
      this.frame,
    );
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focus", () => this.#focus());
    this.element.addEventListener("blur", () => this.#blur());
    new ResizeObserver(() => this.redraw()).observe(this.element);
  }

  /** Redraws the chart. Moves the focus frame back to the first item if `restart` is true. */
  redraw(restart = false) {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0) {
      return;
    }
    if (!this.echart) {
      this.#start();
    }
    this.echart.resize({ width, height });
    this.picture = this.draw(width, height);
    this.echart.setOption({ animation: false, ...this.picture.option }, { notMerge: true });
    this.at = restart ? 0 : Math.min(this.at, Math.max(0, this.picture.count - 1));
    hideTip();
    this.#moveFrame();
  }

  #start() {
    this.echart = echarts.init(this.canvas, null, { renderer: "canvas" });
    this.echart.on("click", ({ dataIndex }) => this.picture.enter?.(dataIndex));
    this.echart.on("mousemove", ({ dataIndex, event }) => {
      const { clientX, clientY } = event.event;
      showTip(this.picture.describe(dataIndex), clientX, clientY);
    });
    this.echart.on("mouseout", hideTip);
    this.echart.on("globalout", hideTip);
  }

  #focus() {
    if (this.element.matches(":focus-visible")) {
      this.#moveFrame();
      this.#tell();
    }
  }

  #blur() {
    this.frame.hidden = true;
    hideTip();
  }

  #moveFrame() {
    const seen = this.element.matches(":focus-visible") && this.picture?.count > 0;
    this.frame.hidden = !seen;
    if (seen) {
      const { x, y, width, height } = this.picture.boxOf(this.at);
      Object.assign(this.frame.style, {
        left: `${x}px`,
        top: `${y}px`,
        width: `${Math.max(3, width)}px`,
        height: `${Math.max(3, height)}px`,
      });
    }
  }

  #tell() {
    if (this.picture.count === 0) {
      return;
    }
    const lines = this.picture.describe(this.at);
    const { x, y, width, height } = this.picture.boxOf(this.at);
    const place = this.element.getBoundingClientRect();
    showTip(lines, place.left + x + width / 2, place.top + y + height);
    say(lines.map(([name, value]) => (value === "" ? name : `${name} ${value}`)).join(", "));
  }

  /** Returns the position that a key moves to; null if the key does not move the frame. */
  #target(key) {
    if (key === "Home" || key === "End") {
      return key === "Home" ? 0 : this.picture.count - 1;
    }
    return key.startsWith("Arrow") ? this.picture.neighbour(this.at, key) : null;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.picture || this.picture.count === 0) {
      return;
    }
    const to = this.#target(event.key);
    if (to !== null) {
      this.at = to;
      this.#moveFrame();
      this.#tell();
    } else if (event.key === "Enter" || event.key === " ") {
      this.picture.enter?.(this.at);
    } else if (event.key === "Backspace" || event.key === "Escape") {
      this.picture.leave?.();
    } else {
      return;
    }
    event.preventDefault();
  }
}

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
