// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { kindColor } from "../charts/chart.js";
import { breakable, byId, h, refill } from "../dom.js";
import { tableOf } from "../table.js";
import { bytesText, changeText, fractionText, inert, inertAll, plural, shorten, signedText } from "../text.js";

/** The difference of two runs, built from the document that tools/html/page_data.h describes. */

/**
 * One of the two runs.
 * @typedef {Object} Run
 * @property {Object} facts
 * @property {number[][]} ranks ranges
 * @property {number[][]} missingRanks ranges
 * @property {Object} processes columns with one entry per process
 * @property {number} processCount
 * @property {string[]} problems one line per file that could not be read
 * @property {number} disagreementsFound
 */

/** @returns {Run} */
function runOf(document) {
  return {
    facts: inertAll(document.job),
    ranks: document.ranks,
    missingRanks: document.missing_ranks,
    processes: document.processes,
    processCount: document.processes.rank.length,
    problems: inertAll(document.problems),
    disagreementsFound: document.disagreements_found,
  };
}

/** An amount in both runs, per rank. An amount that a run does not have is 0, and `before` or `after` is false. */
function amountOf(table, row) {
  const both = (name) => [table[`${name}_before`][row] ?? 0, table[`${name}_after`][row] ?? 0];
  return {
    count: both("count"),
    bytes: both("bytes"),
    before: table.count_before[row] !== null,
    after: table.count_after[row] !== null,
  };
}

export class Diff {
  constructor(document) {
    const strings = document.strings.map(inert);
    const { totals, changes } = document;
    this.before = runOf(document.before);
    this.after = runOf(document.after);
    /** The first line of `commtap diff`, and the unit of its numbers. */
    this.summary = inert(document.summary);
    this.unit = document.unit;
    this.notes = inertAll(document.notes);
    this.totals = totals.by.map((by, row) => ({ by, name: strings[totals.name[row]], ...amountOf(totals, row) }));
    /** Rows that differ, in the order of `commtap diff`. The amounts are those of each of the `modules`. */
    this.changes = changes.module.map((module, row) => ({
      module: strings[module],
      modules: changes.modules[row].map((name) => strings[name]),
      phase: document.phases[changes.phase[row]],
      kind: document.kinds[changes.kind[row]],
      group: strings[changes.group[row]],
      label: strings[changes.label[row]],
      setup: changes.setup[row] ? "set-up" : "",
      ranks: strings[changes.ranks[row]],
      ...amountOf(changes, row),
    }));
  }
}

/** Returns after minus before. */
export function differenceOf([before, after]) {
  return after - before;
}

/** The totals of two runs side by side. */

const kTotalNameLength = 60;
/** Returns the change in percent of the run before: "+12.5 %", or "new" or "gone". */
export function percentText(amount) {
  return amount.before && amount.after ? changeText(...amount.bytes) : amount.before ? "gone" : "new";
}

/** Returns the columns for the amounts of both runs, first what a narrow window must show. */
export function amountColumns(extra) {
  const number = (key, title, value, write) => ({
    key,
    title,
    number: true,
    value: (row) => value(row),
    cell: (row) => write(value(row), row),
    ...extra,
  });
  const missing = (run, write) => (value, row) => (row[run] ? write(value) : "");
  const signed = (write) => (value) =>
    h("span", { class: value === 0 ? "muted" : "changed" }, signedText(value, write));
  return [
    number("bytes_after", "Bytes after", ({ bytes }) => bytes[1], missing("after", bytesText)),
    number("bytes_before", "Bytes before", ({ bytes }) => bytes[0], missing("before", bytesText)),
    number("bytes_change", "Bytes change", ({ bytes }) => differenceOf(bytes), signed(bytesText)),
    number("count_after", "Count after", ({ count }) => count[1], missing("after", fractionText)),
    number("count_before", "Count before", ({ count }) => count[0], missing("before", fractionText)),
    number("count_change", "Count change", ({ count }) => differenceOf(count), signed(fractionText)),
  ];
}

function nameCell({ by, name }) {
  if (by !== "kind") {
    return shorten({ all: "all collectives", "set-up": "before the first forward" }[by] ?? name, kTotalNameLength);
  }
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = kindColor(name);
  return h("span", null, swatch, name);
}

export function totalsTable(diff) {
  return tableOf({
    name: "diff-totals",
    caption: `Totals of both runs, ${diff.unit}`,
    columns: [
      { key: "name", title: "Name", header: true, fixed: true, cell: nameCell },
      { key: "by", title: "By", fixed: true, cell: ({ by }) => by },
      { key: "percent", title: "Percent", number: true, fixed: true, cell: percentText },
      ...amountColumns({ fixed: true }),
    ],
    rows: diff.totals,
    pages: 1,
  });
}

/** The chart of two runs: a bar per row that differs, to the right for more and to the left for less. */

const kMostBars = 12;
const kChartNameLength = 80;

/** Returns a bar from the middle, as long as the part of `most` that `value` is. */
function bar(value, most, color) {
  const fill = h("span", { class: value < 0 ? "less" : "more-of" });
  fill.style.width = `${most > 0 ? (50 * Math.abs(value)) / most : 0}%`;
  fill.style.background = color;
  return h("span", { class: "balance", "aria-hidden": "true" }, fill);
}

function lineOf(change, value, most, write) {
  const { module, modules, phase, kind, group, label, setup } = change;
  const facts = [kind, phase, group, label, setup].filter((word) => word !== "").join(", ");
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = kindColor(kind);
  return h(
    "li",
    { class: "bar-line" },
    h(
      "span",
      { class: "bar-name" },
      swatch,
      breakable(module, kChartNameLength),
      modules.length > 1 ? ` × ${modules.length}` : "",
      h("span", { class: "muted" }, ` ${facts}`),
    ),
    bar(value, most, kindColor(kind)),
    h(
      "span",
      { class: "bar-value" },
      signedText(value, write),
      h("span", { class: "muted" }, ` ${percentText(change)}`),
    ),
  );
}

/** Shows the changes in bytes or, if no bytes differ, in calls: the largest first. */
export function drawDiffChart({ changes, unit }) {
  byId("diff-chart-card").hidden = changes.length === 0;
  const isBytes = changes.some(({ bytes }) => differenceOf(bytes) !== 0);
  const changeOf = ({ bytes, count, modules }) => differenceOf(isBytes ? bytes : count) * modules.length;
  const sorted = changes.slice().sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)));
  const shown = sorted.slice(0, kMostBars);
  const rest = sorted.length - shown.length;
  const most = Math.max(...shown.map((change) => Math.abs(changeOf(change))));
  byId("diff-chart-of").textContent = `${isBytes ? "bytes" : "calls"} in all modules of a row, ${unit}`;
  refill(
    byId("diff-chart"),
    h(
      "ul",
      { class: "bars" },
      ...shown.map((change) => lineOf(change, changeOf(change), most, isBytes ? bytesText : fractionText)),
    ),
    rest > 0 ? h("p", { class: "muted" }, `… and ${plural(rest, "row")} more below`) : null,
  );
}
