// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { inert, inertAll } from "../text.js";

/** The difference of two runs, built from the document that tools/html/page_diff.h describes. */

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
