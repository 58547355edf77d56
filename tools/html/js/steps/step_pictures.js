// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { kindColor, mix, themeColor, themeFont } from "../charts/chart.js";
import { fractionText, metricText, msText, rankText } from "../text.js";
import { footnotes, stepsText, warmUps } from "./steps.js";

/**
 * The data of one column in the step charts.
 * @typedef {Object} StepRow
 * @property {import("./steps.js").Stretch} stretch
 * @property {Object} time the result of timeOf()
 * @property {number[]} kinds the entry of kindMeans()
 * @property {number} total the sum of `kinds`
 */

const kPale = 0.7;
const kLeastMs = 1e-6; // a logarithmic axis needs values above 0
const kHeadroom = 1.2; // the part of a torn column that is above all others, for its text
const kArrow = 6; // pixels
const kTextWidth = 64; // pixels of the value of a torn column; in a narrower column it stands to the right

function allSteps(rows) {
  const last = rows.at(-1).stretch;
  return { first: rows[0].stretch.first, end: last.first + last.steps };
}

function drawTime({ values }, before, { x, width, y }) {
  const [most, least, mean] = values.map(y);
  const color = themeColor("accent");
  return [
    {
      type: "rect",
      shape: { x, y: most, width, height: Math.max(least - most, 1) },
      style: { fill: mix(color, themeColor("card"), kPale) },
    },
    {
      type: "polyline",
      shape: {
        points: [
          [x, before ? y(before.values[2]) : mean],
          [x, mean],
          [x + width, mean],
        ],
      },
      style: { stroke: color, lineWidth: 1.5, fill: "none" },
    },
  ];
}

/** Returns the column that ends where this one begins, so that the line can connect both; null if there is none. */
function columnBefore(columns, position, first) {
  const before = position > first ? columns[position - 1] : null;
  return before && before.stretch.first + before.stretch.steps === columns[position].stretch.first ? before : null;
}

/** Draws a column that is higher than the axis, with an arrow and its value on top. */
function drawTorn({ time }, isLast, { x, width, y, top }) {
  const color = themeColor("accent");
  const middle = x + width / 2;
  const height = y(0) - top;
  const isWide = width >= kTextWidth;
  return [
    { type: "rect", shape: { x, y: top, width, height }, style: { fill: mix(color, themeColor("card"), kPale) } },
    {
      type: "polyline",
      shape: {
        points: [
          [middle - kArrow, top + 3 + kArrow],
          [middle, top + 3],
          [middle + kArrow, top + 3 + kArrow],
        ],
      },
      style: { stroke: color, lineWidth: 2, fill: "none" },
    },
    {
      type: "text",
      style: {
        x: isWide ? middle : x + width + 3,
        y: isWide ? top + 2 * kArrow + 3 : top + 3,
        align: isWide ? "center" : "left",
        text: isWide || isLast ? msText(time.mean) : "",
        fill: themeColor("text"),
        font: `600 12px ${themeFont()}`,
      },
    },
  ];
}

/**
 * Shows the mean as a line over a band from the fastest to the slowest rank. Leaves out steps that no rank has
 * completed. On a linear axis the first steps, which warm up, are `torn`: the axis ends below their values.
 */
export function timePicture(view, rows) {
  const all = rows
    .filter(({ time }) => time !== null)
    .map(({ stretch, time }) => {
      const { most, least, mean } = time;
      return { stretch, time, values: [most, least, mean].map((ms) => Math.max(ms, kLeastMs)) };
    });
  const torn = view.choice.timescale === "log" ? 0 : warmUps(all.map(({ time }) => time.mean));
  const limit = Math.max(...all.slice(torn).map(({ time }) => time.most)) * kHeadroom;
  const columns = all.map((column, i) => (i < torn ? { ...column, values: [limit, 0, limit] } : column));
  return {
    columns,
    torn: columns.slice(0, torn),
    steps: allSteps(rows),
    scale: view.choice.timescale,
    axisText: fractionText,
    draw: (position, place) =>
      position < torn
        ? drawTorn(columns[position], position === torn - 1, place)
        : drawTime(columns[position], columnBefore(columns, position, torn), place),
    describe: (position) => {
      const { stretch, time } = columns[position];
      return [
        [stepsText(stretch), ""],
        ["Mean", `${msText(time.mean)} per step`],
        ["Fastest rank", msText(time.least)],
        ["Slowest rank", `${msText(time.most)} (${rankText(time.slowest)})`],
        ...footnotes(view.job, stretch),
      ];
    },
  };
}

/** Stacks the kinds in the job's order of kinds. */
function drawKinds(view, { kinds }, unit, { x, width, y }) {
  const gap = width > 3 ? 1 : 0;
  let below = 0;
  return kinds.map((value, kind) => {
    const top = below + value / unit;
    const shape = { x, y: y(top), width: width - gap, height: y(below) - y(top) };
    below = top;
    return { type: "rect", shape, style: { fill: kindColor(view.job.kinds[kind]) } };
  });
}

function kindLines(view, metric, { kinds, total }) {
  const lines = view.job.kinds
    .map((name, kind) => [name, metricText(metric, kinds[kind])])
    .filter((_, kind) => kinds[kind] > 0);
  return lines.length > 1 ? [...lines, ["Total", metricText(metric, total)]] : lines;
}

/** Shows the amounts of each step, divided by `unit`. */
export function amountPicture(view, rows, metric, unit) {
  const columns = rows.map(({ stretch, kinds, total }) => ({
    stretch,
    kinds,
    total,
    values: [total, ...kinds].map((value) => value / unit),
  }));
  return {
    columns,
    steps: allSteps(rows),
    scale: "value",
    axisText: fractionText,
    draw: (position, place) => drawKinds(view, columns[position], unit, place),
    describe: (position) => [
      [stepsText(columns[position].stretch), ""],
      ...kindLines(view, metric, columns[position]),
      ...footnotes(view.job, columns[position].stretch),
    ],
  };
}
