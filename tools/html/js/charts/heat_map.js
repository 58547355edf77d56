// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { metricTitles } from "../amounts.js";
import { columnSize, columnsOf, difference } from "../ranks.js";
import { metricText, percentText } from "../text.js";
import { Chart, mix, themeColor, themeFont } from "./chart.js";

/** A heat map with one column per rank and one line per kind. */

const kLeft = 110; // pixels for the names of kinds
const kBottom = 24; // pixels for the ranks
const kLine = 34; // pixels per kind
const kLabelWidth = 34; // least pixels between the names below two columns
const kCharacterWidth = 7; // pixels, in the names of columns
const kKeys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const kGapFrom = 4; // minimum width in device pixels of a column with a gap to the next one

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
  const percent = percentText(100 * Math.abs(part));
  return spread.median > 0 ? `${percent} ${part > 0 ? "more" : "less"} than the median` : "most ranks have none";
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
    [metricTitles(view.job)[view.choice.metric], metricText(view.choice.metric, value)],
    ["Which is", differenceText(spread, value)],
  ];
  if (column.first !== column.last) {
    lines.splice(1, 0, ["Farthest from the median", view.job.processName(process)]);
  }
  return lines;
}

/** Returns a function that returns the colour of a colour value. */
function colorScale(view) {
  const names = view.choice.heat === "value" ? ["none", "some", "most"] : ["less", "same", "more"];
  const [low, middle, high] = names.map((name) => themeColor(`heat-${name}`));
  return (value) => {
    const at = view.choice.heat === "value" ? 2 * value - 1 : value; // -1 is low, 0 is middle, 1 is high
    return at < 0 ? mix(middle, low, -at) : mix(middle, high, at);
  };
}

/** Returns the places of the cells in CSS pixels. All borders lie on device pixels. */
function placesOf(job, spreads, width, height) {
  const pixel = 1 / devicePixelRatio;
  const left = Math.round(kLeft / pixel) * pixel;
  const size = columnSize(job.processCount, Math.floor((width - left) / pixel));
  return {
    each: size.each,
    left,
    width: size.width * pixel,
    height: Math.floor((height - kBottom) / spreads.length / pixel) * pixel,
    gap: size.width >= kGapFrom ? pixel : 0,
    rowGap: pixel,
  };
}

function drawCell(fill, { x, y, width, height }, { gap, rowGap }) {
  return {
    type: "rect",
    shape: { x, y, width: width - gap, height: height - rowGap },
    style: { fill },
    emphasis: { style: { stroke: themeColor("text"), lineWidth: 1 } },
  };
}

/** Returns whether a column has its rank below it: every second, fourth, eighth, ..., so that the texts fit. */
function labelled({ width }, names) {
  const longest = Math.max(...names.map(({ length }) => length));
  const room = Math.max(kLabelWidth, kCharacterWidth * (longest + 1));
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(room / width)));
  return (column) => column % every === 0;
}

function optionOf(view, spreads, columns, places, boxOf) {
  const axis = {
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: themeColor("muted"), fontFamily: themeFont(), fontSize: 12 },
    splitLine: { show: false },
  };
  const names = columns.map((column) => view.job.processName(column.first).replace(/^rank /, ""));
  const colorOf = colorScale(view);
  const [width, height] = [places.width * columns.length, places.height * spreads.length];
  return {
    grid: { left: places.left, top: 0, width, height },
    xAxis: {
      ...axis,
      type: "category",
      data: names,
      axisLabel: { ...axis.axisLabel, interval: labelled(places, names) },
    },
    yAxis: { ...axis, type: "category", inverse: true, data: spreads.map(({ kind }) => view.job.kinds[kind]) },
    series: [
      {
        type: "custom",
        progressive: 0,
        data: spreads.flatMap((_, y) => columns.map((_, x) => [x, y])),
        renderItem: ({ dataIndex }, api) => {
          const [column, line] = [api.value(0), api.value(1)];
          const value = shade(view, spreads[line], columns[column].shown[line]);
          return drawCell(colorOf(value), boxOf(dataIndex), places);
        },
      },
    ],
  };
}

function pictureOf(view, spreads, width, height) {
  const places = placesOf(view.job, spreads, width, height);
  const columns = columnsOf(view.job, spreads, places.each);
  const place = (position) => [position % columns.length, Math.floor(position / columns.length)];
  const boxOf = (position) => {
    const [x, y] = place(position);
    const { width: wide, height: tall } = places;
    return { x: places.left + x * wide, y: y * tall, width: wide, height: tall };
  };
  return {
    option: optionOf(view, spreads, columns, places, boxOf),
    count: columns.length * spreads.length,
    boxOf,
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
    this.element.style.height = `${kLine * spreads.length + kBottom}px`;
    this.chart.redraw();
  }
}
