// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** @typedef {import("./job.js").Job} Job */

/** The names of the three amount columns, which every table of collectives has. */
const kAmounts = ["count", "bytes", "bus_bytes"];
const kTitles = { count: "Count", bytes: "Bytes", bus_bytes: "Bus bytes" };
const kExposed = "exposed_ns";

/** Returns the titles of a job's measures by name. */
export function metricTitles(job) {
  return job.exposed === null ? kTitles : { ...kTitles, [kExposed]: "Exposed time" };
}

/** Returns the tables that have the measures of a job, each with the names of its columns. */
function tablesOf(job) {
  const rows = { rows: job.rows, metrics: kAmounts };
  return job.exposed === null ? [rows] : [rows, { rows: job.exposed, metrics: [kExposed] }];
}

/**
 * Selects rows. Each field is an index into the job's list of that name, or -1 for all; `setup` includes set-up.
 * @typedef {{phase: number, kind: number, group: number, setup: boolean}} Filter
 */

/** @returns {Filter} */
export function filterOf(job, choice) {
  return {
    phase: job.phases.indexOf(choice.phase),
    kind: job.kinds.indexOf(choice.kind),
    group: job.groups.findIndex((group) => group.label === choice.group),
    setup: choice.unit === "sum",
  };
}

function zeros(length) {
  return Object.fromEntries([...kAmounts, kExposed].map((metric) => [metric, new Float64Array(length)]));
}

/** Adds the amounts of a row to the entry `entry` of `sums`. */
function add(sums, entry, { rows, metrics }, row) {
  for (const metric of metrics) {
    sums[metric][entry] += rows[metric][row];
  }
}

/** Adds `each` values of every module to those of its parent. */
function addChildren(job, values, each) {
  for (let index = job.modules.length - 1; index > 0; index -= 1) {
    for (let i = 0; i < each; i += 1) {
      values[job.modules[index].parent * each + i] += values[index * each + i];
    }
  }
}

/**
 * Sums the rows that pass the filter. Returns `own` (exclusive) and `inclusive`, by metric and module. The functions
 * `kindsOf` and `ownKindsOf` return the kinds in the inclusive and in the own metric of modules.
 */
export function moduleSums(job, filter, metric) {
  const own = zeros(job.modules.length);
  const kinds = job.kinds.length;
  const ownByKind = new Float64Array(job.modules.length * kinds);
  for (const table of tablesOf(job)) {
    const { rows, metrics } = table;
    for (let row = 0; row < rows.module.length; row += 1) {
      if (passes(rows, row, filter)) {
        add(own, rows.module[row], table, row);
        if (metrics.includes(metric)) {
          ownByKind[rows.module[row] * kinds + rows.kind[row]] += rows[metric][row];
        }
      }
    }
  }
  const inclusive = Object.fromEntries(Object.entries(own).map(([name, values]) => [name, values.slice()]));
  for (const values of Object.values(inclusive)) {
    addChildren(job, values, 1);
  }
  const byKind = ownByKind.slice();
  addChildren(job, byKind, kinds);
  return {
    own,
    inclusive,
    kindsOf: (...modules) => kindShares(job, byKind, modules),
    ownKindsOf: (...modules) => kindShares(job, ownByKind, modules),
  };
}

/** Returns the kinds in the amount of modules with their shares of it, in the job's order of kinds. */
function kindShares(job, byKind, modules) {
  const values = job.kinds.map((_, kind) =>
    modules.reduce((sum, { index }) => sum + byKind[index * job.kinds.length + kind], 0),
  );
  const whole = values.reduce((a, b) => a + b, 0);
  return job.kinds.map((name, kind) => ({ name, share: values[kind] / whole })).filter(({ share }) => share > 0);
}

/** Returns true if the row passes the filter. Fields for which `rows` has no column do not apply. */
export function passes(rows, row, filter) {
  return (
    (filter.phase < 0 || !rows.phase || rows.phase[row] === filter.phase) &&
    (filter.setup || !rows.setup?.[row]) &&
    (filter.kind < 0 || rows.kind[row] === filter.kind) &&
    (filter.group < 0 || rows.group[row] === filter.group)
  );
}

/** Returns the indices of those of `rows` that pass the filter, for a module and its descendants. */
export function rowsBelow(rows, filter, module) {
  const found = [];
  for (let row = 0; row < rows.module.length; row += 1) {
    const owner = rows.module[row];
    if (owner >= module.index && owner < module.end && passes(rows, row, filter)) {
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
  for (const table of tablesOf(job)) {
    const { rows } = table;
    for (const facet of ["phase", "kind", "group"].filter((name) => rows[name])) {
      for (const row of rowsBelow(rows, { ...filter, [facet]: -1 }, module)) {
        add(sums[facet], rows[facet][row], table, row);
      }
    }
    for (const row of rowsBelow(rows, filter, module)) {
      add(sums.all, 0, table, row);
    }
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
