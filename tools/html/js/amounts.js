// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** @typedef {import("./job.js").Job} Job */

/** The three numbers that every row has, by the name of their column. */
export const kMetrics = ["count", "bytes", "bus_bytes"];
export const kMetricTitles = { count: "Count", bytes: "Bytes", bus_bytes: "Bus bytes" };

/**
 * Which rows count: numbers are positions in the job's lists, -1 stands for all.
 * @typedef {{phase: number, kind: number, group: number}} Filter
 */

/** @returns {Filter} */
export function filterOf(job, choice) {
  return {
    phase: job.phases.indexOf(choice.phase),
    kind: job.kinds.indexOf(choice.kind),
    group: job.groups.findIndex((group) => group.label === choice.group),
  };
}

function zeros(length) {
  return Object.fromEntries(kMetrics.map((metric) => [metric, new Float64Array(length)]));
}

/** Adds one row to one entry of a set of sums. */
function add(sums, entry, rows, row) {
  for (const metric of kMetrics) {
    sums[metric][entry] += rows[metric][row];
  }
}

function addChildren(job, sums) {
  for (let index = job.modules.length - 1; index > 0; index -= 1) {
    for (const metric of kMetrics) {
      sums[metric][job.modules[index].parent] += sums[metric][index];
    }
  }
}

/**
 * What each module has under a filter: `own` (exclusive) and `inclusive`, by metric and module; `kindsOf(module)`, the
 * kinds that its inclusive metric is made of.
 */
export function moduleSums(job, filter, metric) {
  const own = zeros(job.modules.length);
  const kinds = job.kinds.length;
  const byKind = new Float64Array(job.modules.length * kinds);
  const { rows } = job;
  for (let row = 0; row < job.rowCount; row += 1) {
    if (passes(rows, row, filter)) {
      add(own, rows.module[row], rows, row);
      byKind[rows.module[row] * kinds + rows.kind[row]] += rows[metric][row];
    }
  }
  const inclusive = Object.fromEntries(kMetrics.map((name) => [name, own[name].slice()]));
  addChildren(job, inclusive);
  for (let index = job.modules.length - 1; index > 0; index -= 1) {
    for (let kind = 0; kind < kinds; kind += 1) {
      byKind[job.modules[index].parent * kinds + kind] += byKind[index * kinds + kind];
    }
  }
  return { own, inclusive, kindsOf: ({ index }) => kindShares(job, byKind, index) };
}

/** The kinds that a module's inclusive amount is made of, in the order of all kinds, each with its share of it. */
function kindShares(job, byKind, index) {
  const kinds = job.kinds.length;
  const values = byKind.subarray(index * kinds, (index + 1) * kinds);
  const whole = values.reduce((a, b) => a + b, 0);
  return job.kinds.map((name, kind) => ({ name, share: values[kind] / whole })).filter(({ share }) => share > 0);
}

/** Whether a row of a table with the filter's columns is one of those that count. */
export function passes(rows, row, filter) {
  return (
    (filter.phase < 0 || rows.phase[row] === filter.phase) &&
    (filter.kind < 0 || rows.kind[row] === filter.kind) &&
    (filter.group < 0 || rows.group[row] === filter.group)
  );
}

/** The rows of a module and all below it that pass, by position. */
export function rowsBelow(job, filter, module) {
  const found = [];
  for (let row = 0; row < job.rowCount; row += 1) {
    const owner = job.rows.module[row];
    if (owner >= module.index && owner < module.end && passes(job.rows, row, filter)) {
      found.push(row);
    }
  }
  return found;
}

/**
 * Totals of a subtree by each facet. A facet's own choice does not narrow it down: by kind, all kinds keep their
 * numbers when one is chosen, so that the reader sees what else there is.
 */
export function facetSums(job, filter, module) {
  const sums = {
    phase: zeros(job.phases.length),
    kind: zeros(job.kinds.length),
    group: zeros(job.groups.length),
    all: zeros(1),
  };
  for (const facet of ["phase", "kind", "group"]) {
    for (const row of rowsBelow(job, { ...filter, [facet]: -1 }, module)) {
      add(sums[facet], job.rows[facet][row], job.rows, row);
    }
  }
  for (const row of rowsBelow(job, filter, module)) {
    add(sums.all, 0, job.rows, row);
  }
  return sums;
}

/** What each process has by kind: a value for process * kinds + kind. */
export function processValues(job, metric) {
  const values = new Float64Array(job.processCount * job.kinds.length);
  const { cells } = job;
  for (let i = 0; i < cells.process.length; i += 1) {
    values[cells.process[i] * job.kinds.length + cells.kind[i]] += cells[metric][i];
  }
  return values;
}
