// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { h, say } from "../dom.js";
import { hideTip, showTip } from "./tip.js";

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
