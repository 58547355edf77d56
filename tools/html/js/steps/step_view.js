// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { Chart, themeColor, themeFont } from "../charts/chart.js";
import { byId, h, refill, segments } from "../dom.js";
import { tableOf } from "../table.js";
import { byteUnit, metricText, msText, rankText, wholeText } from "../text.js";
import { amountPicture, timePicture } from "./step_pictures.js";
import { kindMeans, ranksText, stepsText, stretchesOf, timeOf } from "./steps.js";

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

/** The section on steps: charts of the duration and the communication of each step, and a table with the same data. */

const kScales = { value: "linear", log: "logarithmic" };
const kHint = "Sums over all phases and modules: the filters for phase and module do not apply here.";
const kMostTorn = 4; // steps that the sentence on warm-up names
const kAmounts = { count: "collectives", bytes: "bytes", exposed_ns: "exposed time" };
const kNoBusBytes = " Reports have no bus bytes per step: these are bytes.";

/** Returns the sentence on the columns that are higher than the axis. */
function tornText(torn) {
  const texts = torn.slice(0, kMostTorn).map(({ stretch, time }) => `${stepsText(stretch)} (${msText(time.mean)})`);
  const rest = torn.length > kMostTorn ? ` and ${wholeText(torn.length - kMostTorn)} more` : "";
  return `The job warms up: the axis ends below ${texts.join(", ")}${rest}.`;
}

/** Returns the unit of the axis: its name, and its size in the unit of the metric. */
function unitOf(metric, most) {
  const units = { count: { size: 1, name: "Collectives" }, exposed_ns: { size: 1e6, name: "Exposed ms" } };
  return units[metric] ?? byteUnit(most);
}

function columnsOf(view, rows, metric) {
  const time = (key, title, value) => ({
    key,
    title,
    number: true,
    fixed: true,
    cell: (row) => (row.time === null ? "" : value(row.time)),
  });
  const amount = (key, title, value) => ({
    key,
    title,
    number: true,
    fixed: true,
    cell: (row) => metricText(metric, value(row)),
  });
  const kinds = view.job.kinds.map((name, kind) => ({ name, kind }));
  return [
    { key: "steps", title: "Steps", header: true, fixed: true, cell: ({ stretch }) => stepsText(stretch) },
    { key: "ranks", title: "Ranks", fixed: true, cell: ({ stretch }) => ranksText(view.job, stretch) },
    time("mean", "Time per step", ({ mean }) => msText(mean)),
    time("least", "Fastest rank", ({ least }) => msText(least)),
    time("most", "Slowest rank", ({ most, slowest }) => `${msText(most)} (${rankText(slowest)})`),
    amount("total", "All kinds", ({ total }) => total),
    ...kinds
      .filter(({ kind }) => rows.some((row) => row.kinds[kind] > 0))
      .map(({ name, kind }) => amount(name, name, (row) => row.kinds[kind])),
  ];
}

export class StepView {
  constructor() {
    this.pages = 1;
    this.tools = h("div", { class: "bar" });
    this.timeTitle = h("h3", null, "Time per step in ms: mean over ranks, and range from fastest to slowest");
    this.torn = h("p", { class: "muted hint" });
    this.time = new StepChart("Time of steps");
    this.amountTitle = h("h3", null);
    this.amounts = new StepChart("Communication of steps");
    this.nothing = h("p", { class: "muted nothing" }, "No collectives in these steps match the filters.");
    this.table = h("div", null);
    byId("steps").replaceChildren(
      this.tools,
      this.timeTitle,
      this.torn,
      this.time.element,
      this.amountTitle,
      this.amounts.element,
      this.nothing,
      h("details", null, h("summary", null, "Show as a table"), this.table),
    );
  }

  update(view) {
    this.view = view;
    if (this.job !== view.job) {
      this.job = view.job;
      this.stretches = stretchesOf(view.job);
    }
    byId("steps-card").hidden = this.stretches.length === 0;
    if (this.stretches.length > 0) {
      this.#draw();
    }
  }

  #draw() {
    const { view, stretches } = this;
    const { job, choice, filter } = view;
    const metric = choice.metric === "bus_bytes" ? "bytes" : choice.metric;
    const means = kindMeans(job, stretches, filter, metric);
    const rows = stretches.map((stretch, i) => ({
      stretch,
      time: timeOf(job, stretch),
      kinds: means[i],
      total: means[i].reduce((a, b) => a + b, 0),
    }));
    const hint = choice.metric === "bus_bytes" ? kHint + kNoBusBytes : kHint;
    const timed = rows.some(({ time }) => time !== null);
    const axis = timed ? segments(view, "timescale", "Time axis", kScales) : null;
    refill(this.tools, axis, h("p", { class: "muted hint" }, hint));
    this.#drawTime(rows, timed);
    this.#drawAmounts(rows, metric);
    this.#drawTable(rows, metric);
  }

  #drawTime(rows, timed) {
    this.timeTitle.hidden = !timed;
    this.time.element.hidden = !timed;
    this.torn.hidden = true;
    if (timed) {
      const picture = timePicture(this.view, rows);
      this.torn.hidden = picture.torn.length === 0;
      this.torn.textContent = tornText(picture.torn);
      this.time.update(picture);
    }
  }

  #drawAmounts(rows, metric) {
    const most = Math.max(...rows.map(({ total }) => total));
    const unit = unitOf(metric, most);
    this.amountTitle.textContent = `${unit.name} per step and rank: mean over ranks, by kind`;
    this.amounts.element.hidden = most === 0;
    this.nothing.hidden = most > 0;
    if (most > 0) {
      this.amounts.update(amountPicture(this.view, rows, metric, unit.size));
    }
  }

  #drawTable(rows, metric) {
    const table = tableOf({
      name: "steps",
      caption: `Time and ${kAmounts[metric]} per rank and step, as means over ranks`,
      columns: columnsOf(this.view, rows, metric),
      rows,
      pages: this.pages,
      onMore: () => {
        this.pages += 1;
        this.update(this.view);
      },
    });
    refill(this.table, table);
  }
}
