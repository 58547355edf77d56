// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { h, say } from "./dom.js";
import { hideTip, showTip } from "./tip.js";

/**
 * A picture that can be used without a mouse: arrows, Home and End move a frame from item to item, each is read out, and
 * Enter does what a click does. Everything that a picture shows is in a table as well.
 */

/**
 * @typedef {Object} Item something in the picture, in pixels of the picture
 * @property {{x: number, y: number, width: number, height: number}} box
 */

/**
 * @typedef {Object} Picture what a chart is at the moment
 * @property {Object} option for ECharts; its items' `dataIndex` count as `items` do
 * @property {(position: number) => {x: number, y: number, width: number, height: number}} boxOf
 * @property {number} count of items
 * @property {(position: number, key: string) => number} neighbour where an arrow key leads
 * @property {(position: number) => [string, string][]} describe lines of name and value, the first the title
 * @property {(position: number) => void} [enter]
 * @property {() => void} [leave] on Backspace and Escape
 */

export class Chart {
  /**
   * @param {string} label what a screen reader calls it
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

  /** Draws it anew; the frame goes back to the first item if `restart`. */
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

  /** Where a key leads; null if it leads nowhere. */
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
