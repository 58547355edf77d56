// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { Chart } from "../charts/chart.js";
import { themeColor, themeFont } from "../charts/palette.js";

/** A chart over the training steps with one column per stretch of steps. */

const kLeft = 72; // pixels for the labels of the vertical axis
const kRight = 12;
const kTop = 10;
const kBottom = 24; // pixels for the step numbers

/**
 * @typedef {Object} Column
 * @property {import("./steps.js").Stretch} stretch
 * @property {number[]} values the first two set the range of the vertical axis
 */

/**
 * @typedef {Object} StepPicture
 * @property {Column[]} columns in order
 * @property {{first: number, end: number}} steps the range of the axis; it may include steps without a column
 * @property {"value"|"log"} scale
 * @property {(value: number) => string} axisText
 * @property {(position: number, place: Object) => Object[]} draw returns ECharts shapes for the column at `place`:
 *   `x`, `width` and `top` in pixels, and `y(value)`
 * @property {(position: number) => [string, string][]} describe
 */

/** Returns the box of a column in pixels. */
function boxOf(picture, position, width, height) {
  const { first, end } = picture.steps;
  const { stretch } = picture.columns[position];
  const scale = (width - kLeft - kRight) / (end - first);
  return {
    x: kLeft + (stretch.first - first) * scale,
    y: kTop,
    width: stretch.steps * scale,
    height: height - kTop - kBottom,
  };
}

/** Draws a column. A transparent shape makes its whole height react to the pointer. */
function drawColumn(picture, position, box, y) {
  const { x, width } = box;
  return {
    type: "group",
    children: [
      {
        type: "rect",
        shape: { ...box },
        style: { fill: "transparent" },
        emphasis: { style: { fill: themeColor("sunk") } },
      },
      ...picture.draw(position, { x, width, top: box.y, y }).map((shape) => ({ silent: true, ...shape })),
    ],
  };
}

function optionOf(picture, width, height) {
  const { first, end } = picture.steps;
  const axis = {
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: themeColor("muted"), fontFamily: themeFont(), fontSize: 12 },
  };
  return {
    grid: { left: kLeft, right: kRight, top: kTop, bottom: kBottom },
    xAxis: {
      ...axis,
      type: "value",
      min: first - 0.5, // centers the number below its step
      max: end - 0.5,
      minInterval: 1,
      axisLabel: { ...axis.axisLabel, showMinLabel: false, showMaxLabel: false },
      splitLine: { show: false },
    },
    yAxis: {
      ...axis,
      type: picture.scale,
      logBase: 2,
      min: picture.scale === "log" ? null : 0,
      axisLabel: { ...axis.axisLabel, formatter: picture.axisText },
      splitLine: { lineStyle: { color: themeColor("line") } },
    },
    series: [
      {
        type: "custom",
        progressive: 0,
        encode: { x: 0, y: [1, 2] },
        data: picture.columns.map(({ stretch, values }) => [stretch.first + (stretch.steps - 1) / 2, ...values]),
        renderItem: ({ dataIndex }, api) =>
          drawColumn(
            picture,
            dataIndex,
            boxOf(picture, dataIndex, width, height),
            (value) => api.coord([first, value])[1],
          ),
      },
    ],
  };
}

function neighbour({ columns }, position, key) {
  const next = position + ({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0);
  return next in columns ? next : position;
}

export class StepChart {
  /** @param {string} what a description of the chart for screen readers */
  constructor(what) {
    const label = `${what}. Arrow keys move from step to step.`;
    this.chart = new Chart(label, (width, height) => this.#pictureOf(width, height));
    this.element = this.chart.element;
    this.element.classList.add("steps");
  }

  /** @param {StepPicture} picture has at least one column */
  update(picture) {
    this.picture = picture;
    this.chart.redraw();
  }

  #pictureOf(width, height) {
    const { picture } = this;
    return {
      option: optionOf(picture, width, height),
      count: picture.columns.length,
      boxOf: (position) => boxOf(picture, position, width, height),
      neighbour: (position, key) => neighbour(picture, position, key),
      describe: picture.describe,
    };
  }
}
