// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** @typedef {import("./job.js").Job} Job */

/** The names of the three amount columns, which every table of collectives has. */
export const kMetrics = ["count", "bytes", "bus_bytes"];
export const kMetricTitles = { count: "Count", bytes: "Bytes", bus_bytes: "Bus bytes" };

/**
 * Selects rows. Each field is an index into the job's list of that name, or -1 for all.
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

/** Adds the amounts of a row to the entry `entry` of `sums`. */
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
 * Sums the rows that pass the filter. Returns `own` (exclusive) and `inclusive`, by metric and module, and
 * `kindsOf(module)`, which returns the kinds in the module's inclusive metric.
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

/** Returns the kinds in a module's inclusive amount with their shares of it, in the job's order of kinds. */
function kindShares(job, byKind, index) {
  const kinds = job.kinds.length;
  const values = byKind.subarray(index * kinds, (index + 1) * kinds);
  const whole = values.reduce((a, b) => a + b, 0);
  return job.kinds.map((name, kind) => ({ name, share: values[kind] / whole })).filter(({ share }) => share > 0);
}

/** Returns true if the row passes the filter. `rows` has a column for each field of the filter. */
export function passes(rows, row, filter) {
  return (
    (filter.phase < 0 || rows.phase[row] === filter.phase) &&
    (filter.kind < 0 || rows.kind[row] === filter.kind) &&
    (filter.group < 0 || rows.group[row] === filter.group)
  );
}

/** Returns the indices of the rows that pass the filter, for a module and its descendants. */
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
 * Returns a subtree's totals by phase, kind and group, and over all. A facet ignores its own filter: with a kind
 * chosen,
 * the totals by kind still list all kinds, so the reader sees the alternatives.
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

/** Returns the amounts by process and kind; the index is process * number of kinds + kind. */
export function processValues(job, metric) {
  const values = new Float64Array(job.processCount * job.kinds.length);
  const { cells } = job;
  for (let i = 0; i < cells.process.length; i += 1) {
    values[cells.process[i] * job.kinds.length + cells.kind[i]] += cells[metric][i];
  }
  return values;
}
