// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { processValues } from "./amounts.js";

/** Compares ranks: their amounts by kind, and the differences from the median. */

/** The maximum number of heat map columns, which bounds the time of a redraw. */
const kMostColumns = 1024;
/** The share of the available width that the columns must fill. */
const kLeastFill = 0.8;

function median(sorted) {
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @typedef {Object} KindSpread the amounts of one kind in all processes
 * @property {number} kind position in the job's kinds
 * @property {Float64Array} values by process
 * @property {number} least the process with the smallest value; the first of several
 * @property {number} most the process with the largest value; the first of several
 * @property {number} median
 * @property {number} different how many processes differ from the median
 */

/** @returns {KindSpread[]} one per kind that the job has */
export function kindSpreads(job, metric) {
  const all = processValues(job, metric);
  const counts = processValues(job, "count");
  const kinds = job.kinds.length;
  const spreads = [];
  for (let kind = 0; kind < kinds; kind += 1) {
    const ofKind = (table) => Float64Array.from({ length: job.processCount }, (_, i) => table[i * kinds + kind]);
    if (ofKind(counts).some((count) => count > 0)) {
      spreads.push({ kind, ...spreadOf(ofKind(all)) });
    }
  }
  return spreads;
}

function spreadOf(values) {
  const middle = median(values.slice().sort());
  let least = 0;
  let most = 0;
  let different = 0;
  values.forEach((value, i) => {
    least = value < values[least] ? i : least;
    most = value > values[most] ? i : most;
    different += value === middle ? 0 : 1;
  });
  return { values, least, most, median: middle, different };
}

/**
 * Returns the relative difference from the median: 0.1 is 10% more. If the median is 0, returns 1 for a positive value.
 */
export function difference(spread, value) {
  return spread.median > 0 ? value / spread.median - 1 : Math.sign(value);
}

/**
 * Returns the number of processes per column, and the width of a column in device pixels. It is a whole number: columns
 * whose borders lie between pixels, or whose widths differ, draw a pattern that is not in the data.
 * @param {number} room the available width in device pixels
 */
export function columnSize(processes, room) {
  for (let each = Math.ceil(processes / kMostColumns); ; each += 1) {
    const columns = Math.ceil(processes / each);
    const width = Math.floor(room / columns);
    if (columns === 1 || columns * width >= kLeastFill * room) {
      return { each, width: Math.max(width, 1) };
    }
  }
}

/**
 * Returns the columns of the heat map with `each` processes. A column covers the processes `first` to `last` and shows, for each of
 * `spreads`, the process that is farthest from the median.
 * @returns {{first: number, last: number, shown: number[]}[]} `shown`: the shown processes, by index in `spreads`
 */
export function columnsOf(job, spreads, each) {
  const columns = [];
  for (let first = 0; first < job.processCount; first += each) {
    const last = Math.min(first + each, job.processCount) - 1;
    columns.push({ first, last, shown: spreads.map((spread) => farthest(spread, first, last)) });
  }
  return columns;
}

function farthest(spread, first, last) {
  let found = first;
  for (let i = first; i <= last; i += 1) {
    if (Math.abs(spread.values[i] - spread.median) > Math.abs(spread.values[found] - spread.median)) {
      found = i;
    }
  }
  return found;
}
