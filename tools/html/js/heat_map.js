// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { kMetricTitles } from "./amounts.js";
import { Chart } from "./chart.js";
import { themeColor, themeFont } from "./palette.js";
import { columnsOf, difference } from "./ranks.js";
import { metricText } from "./text.js";

/** A heat map with one column per rank and one line per kind. */

const kLeft = 110; // pixels for the names of kinds
const kBottom = 24; // pixels for the ranks
const kLine = 34; // pixels per kind
const kKeys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Returns a colour value: the share of the largest rank's amount, 0 to 1; or the difference from the median, clamped to
 * -1 to 1.
 */
function shade(view, spread, process) {
  const value = spread.values[process];
  if (view.choice.heat === "value") {
    return spread.values[spread.most] > 0 ? value / spread.values[spread.most] : 0;
  }
  return Math.max(-1, Math.min(1, difference(spread, value)));
}

export function differenceText(spread, value) {
  const part = difference(spread, value);
  if (part === 0) {
    return "equal to the median";
  }
  const percent = Math.abs(part) < 0.0005 ? "less than 0.1" : (100 * Math.abs(part)).toPrecision(3);
  return spread.median > 0 ? `${percent}% ${part > 0 ? "more" : "less"} than the median` : "most ranks have none";
}

function columnName(view, column) {
  return column.first === column.last
    ? view.job.processName(column.first)
    : `${view.job.processName(column.first)} to ${view.job.processName(column.last)}`;
}

function describe(view, spreads, column, line) {
  const spread = spreads[line];
  const process = column.shown[line];
  const value = spread.values[process];
  const lines = [
    [`${columnName(view, column)}, ${view.job.kinds[spread.kind]}`, ""],
    [kMetricTitles[view.choice.metric], metricText(view.choice.metric, value)],
    ["Which is", differenceText(spread, value)],
  ];
  if (column.first !== column.last) {
    lines.splice(1, 0, ["Farthest from the median", view.job.processName(process)]);
  }
  return lines;
}

function colors(view) {
  return view.choice.heat === "value"
    ? {
        min: 0,
        max: 1,
        inRange: { color: [themeColor("heat-none"), themeColor("heat-some"), themeColor("heat-most")] },
      }
    : {
        min: -1,
        max: 1,
        inRange: { color: [themeColor("heat-less"), themeColor("heat-same"), themeColor("heat-more")] },
      };
}

function optionOf(view, spreads, columns) {
  const axis = {
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: themeColor("muted"), fontFamily: themeFont(), fontSize: 12 },
    splitLine: { show: false },
  };
  const names = columns.map((column) => view.job.processName(column.first).replace(/^rank /, ""));
  return {
    grid: { left: kLeft, right: 1, top: 1, bottom: kBottom },
    xAxis: { ...axis, type: "category", data: names },
    yAxis: { ...axis, type: "category", inverse: true, data: spreads.map(({ kind }) => view.job.kinds[kind]) },
    visualMap: { show: false, ...colors(view) },
    series: [
      {
        type: "heatmap",
        progressive: 0,
        data: spreads.flatMap((spread, y) => columns.map((column, x) => [x, y, shade(view, spread, column.shown[y])])),
        itemStyle: { borderWidth: columns.length > 200 ? 0 : 1, borderColor: themeColor("card") },
        emphasis: { itemStyle: { borderColor: themeColor("text"), borderWidth: 1 } },
      },
    ],
  };
}

function pictureOf(view, spreads, width, height) {
  const columns = columnsOf(view.job, spreads);
  const cellWidth = (width - kLeft - 1) / columns.length;
  const cellHeight = (height - kBottom - 1) / spreads.length;
  const place = (position) => [position % columns.length, Math.floor(position / columns.length)];
  return {
    option: optionOf(view, spreads, columns),
    count: columns.length * spreads.length,
    boxOf: (position) => {
      const [x, y] = place(position);
      return { x: kLeft + x * cellWidth, y: 1 + y * cellHeight, width: cellWidth, height: cellHeight };
    },
    neighbour: (position, key) => {
      const [x, y] = place(position);
      const [dx, dy] = kKeys[key];
      const inside = x + dx >= 0 && x + dx < columns.length && y + dy >= 0 && y + dy < spreads.length;
      return inside ? position + dx + dy * columns.length : position;
    },
    describe: (position) => {
      const [x, y] = place(position);
      return describe(view, spreads, columns[x], y);
    },
  };
}

export class HeatMap {
  constructor() {
    const label = "Heat map of ranks by kind. Arrow keys move from rank to rank and kind to kind.";
    this.chart = new Chart(label, (width, height) => pictureOf(this.view, this.spreads, width, height));
    this.element = this.chart.element;
  }

  update(view, spreads) {
    this.view = view;
    this.spreads = spreads;
    this.element.style.height = `${kLine * spreads.length + kBottom + 2}px`;
    this.chart.redraw();
  }
}
