// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { kindColor, mix, themeColor } from "./palette.js";
import { amountText, footnotes, stepsText } from "./step_text.js";
import { fractionText, msText, rankText } from "./text.js";

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
function columnBefore(columns, position) {
  const before = columns[position - 1];
  return before && before.stretch.first + before.stretch.steps === columns[position].stretch.first ? before : null;
}

/**
 * Shows the mean as a line over a band from the fastest to the slowest rank. Leaves out steps that no rank has
 * completed.
 */
export function timePicture(view, rows) {
  const columns = rows
    .filter(({ time }) => time !== null)
    .map(({ stretch, time }) => {
      const { most, least, mean } = time;
      return { stretch, time, values: [most, least, mean].map((ms) => Math.max(ms, kLeastMs)) };
    });
  return {
    columns,
    steps: allSteps(rows),
    scale: view.choice.timescale,
    axisText: fractionText,
    draw: (position, place) => drawTime(columns[position], columnBefore(columns, position), place),
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
    .map((name, kind) => [name, amountText(metric, kinds[kind])])
    .filter((_, kind) => kinds[kind] > 0);
  return lines.length > 1 ? [...lines, ["Total", amountText(metric, total)]] : lines;
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
