// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { inert, inertAll, shorten } from "./text.js";

/** The shown job, built from the document that tools/html/page_data.h describes. All its names have passed inert(). */

/**
 * @typedef {Object} Module
 * @property {number} index depth first: the descendants are the modules from index + 1 to end - 1
 * @property {number} end
 * @property {string} name
 * @property {string} label the name relative to its parent: "net1" for "MLP.net1"
 * @property {string} className "" if unknown
 * @property {number} parent an index; -1 for the root
 * @property {number} depth
 * @property {number[]} calls by phase, summed over ranks
 * @property {number} rankSet index of the set of ranks that have the module
 */

/** Maximum length of labels, which are shown on one line. The tables have the full name. */
const kLabelLength = 120;

function moduleLabel(name, parentName) {
  return name.startsWith(`${parentName}.`) ? name.slice(parentName.length + 1) : name;
}

function modulesOf(columns, strings) {
  /** @type {Module[]} */
  const modules = columns.name.map((name, index) => ({
    index,
    end: index + 1,
    name: strings[name],
    label: strings[name],
    className: strings[columns.class[index]],
    parent: columns.parent[index],
    depth: 0,
    calls: columns.calls[index],
    rankSet: columns.rank_set[index],
  }));
  for (const module of modules.slice(1)) {
    const parent = modules[module.parent];
    module.depth = parent.depth + 1;
    module.label = shorten(moduleLabel(module.name, parent.name), kLabelLength);
  }
  for (let index = modules.length - 1; index > 0; index -= 1) {
    const parent = modules[modules[index].parent];
    parent.end = Math.max(parent.end, modules[index].end);
  }
  return modules;
}

/** Returns the groups with distinct labels: two names can become equal in inert(). */
function groupsOf(groups) {
  const taken = new Set();
  return groups.map((group) => {
    let label = inert(group.name);
    while (taken.has(label)) {
      label += "'";
    }
    taken.add(label);
    return { ...group, label, backend: inert(group.backend) };
  });
}

function membersOf(columns, strings) {
  const members = new Map();
  columns.row.forEach((row, i) => {
    const list = members.get(row) ?? [];
    list.push({ name: strings[columns.module[i]], bytes: columns.bytes[i], count: columns.count[i] });
    members.set(row, list);
  });
  return members;
}

/** Returns the number of ranks in a list of ranges. */
export function sizeOf(ranges) {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Returns the rows with their amounts divided by what `divisorOf` returns for a row; `names`: the columns of amounts. */
function divided(rows, names, divisorOf) {
  const columns = names.map((name) => [name, rows[name].map((value, row) => value / divisorOf(row))]);
  return { ...rows, ...Object.fromEntries(columns) };
}

/** Returns the exposed time by module, kind and group, with the numbers that `rows` have; null if nothing was timed. */
function exposedOf(times, job) {
  if (times.kind.length === 0) {
    return null;
  }
  const modules = new Map(job.modules.map(({ name, index }) => [name, index]));
  const groups = new Map(job.groups.map(({ name }, index) => [inert(name), index]));
  return {
    module: times.module.map((name) => modules.get(job.strings[name]) ?? 0),
    kind: times.kind,
    group: times.group.map((name) => groups.get(job.strings[name]) ?? -1),
    setup: times.setup,
    exposed_ns: times.exposed_ns.map((value) => value ?? 0),
  };
}

export class Job {
  /**
   * @param document the data that tools/html/page_data.h describes
   * @param {boolean} live true for data from `commtap serve`, which sees only the ranks of its own node
   */
  constructor(document, live = false) {
    this.live = live;
    this.facts = inertAll(document.job);
    this.phases = document.phases;
    this.kinds = document.kinds;
    this.strings = document.strings.map(inert);
    this.groups = groupsOf(document.groups);
    this.ranks = document.ranks;
    this.missingRanks = document.missing_ranks;
    this.rankSets = document.rank_sets;
    this.disagreements = inertAll(document.disagreements);
    this.disagreementsFound = document.disagreements_found;
    this.notSeen = inertAll(document.not_seen);
    this.problems = inertAll(document.problems);
    /** The divisors of means, `ranks` and `steps`, and what `commtap show` says of their unit and of set-up. */
    this.unit = inertAll(document.unit);
    /** Whether the page starts with sums. */
    this.total = document.total;
    /** Why the run ended badly, a line of `commtap why`; "" if it did not, or that is not known. */
    this.why = inert(document.why.replace(/^why: |\n$/g, ""));
    /** The findings of `commtap advise`, the most bytes first. */
    this.advice = inertAll(document.advice);
    /** The verdict of `commtap verify`: `status`, `line`, `found`; null without samples. */
    this.verify = inertAll(document.verify);
    this.modules = modulesOf(document.modules, this.strings);
    /**
     * Columns with one entry per row of `collectives`: sums over ranks, and the smallest and largest value of a rank.
     */
    this.rows = document.rows;
    this.rowCount = document.rows.module.length;
    /**
     * The modules that a row covers, by row: lists of `name` ("" for padding), `bytes` and `count` (null unless a compiler
     * merged the module's calls), summed over ranks.
     */
    this.members = membersOf(document.members, this.strings);
    /** Columns with one entry per process. */
    this.processes = document.processes;
    this.processCount = document.processes.rank.length;
    this.runs = live && this.processes.exit.includes("running");
    /** Columns with one entry per process and kind. */
    this.cells = document.cells;
    /** The number of ranks; a process without a rank counts as a rank. */
    this.rankCount = sizeOf(this.ranks) + this.processes.rank.filter((rank) => rank === null).length;
    /** Columns with one entry per range of steps that the same ranks have merged; amounts are sums over these ranks. */
    this.steps = document.steps;
    /** Columns with one entry per row of `steps`, kind and group. */
    this.stepCells = document.step_cells;
    /** Columns with one entry per kind and group with measured durations; `moduleTimes` has one per module, too. */
    this.groupTimes = document.group_times;
    this.moduleTimes = document.module_times;
    /** Exposed time: a table with columns of `rows`; null if nothing was timed. */
    this.exposed = exposedOf(document.module_times, this);
    /** null if NCCL was not called; otherwise two tables, the NCCL versions and the number of calling processes. */
    this.nccl = document.nccl && { ...document.nccl, versions: inertAll(document.nccl.versions) };
  }

  /** Returns what the sums of a row are divided by for means: set-up is in no step. */
  divisorOf(isSetup) {
    const { ranks, steps } = this.unit;
    return ranks * (isSetup || steps === 0 ? 1 : steps);
  }

  /** Returns the job with the amounts of its rows as means per rank and step if `unit` is "mean". */
  inUnit(unit) {
    if (unit === "sum") {
      return this;
    }
    if (!this.means) {
      const { rows, exposed } = this;
      this.means = Object.create(this);
      const divide = (table, names) => divided(table, names, (row) => this.divisorOf(table.setup[row]));
      this.means.rows = divide(rows, ["count", "bytes", "bus_bytes"]);
      this.means.exposed = exposed && divide(exposed, ["exposed_ns"]);
    }
    return this.means;
  }

  /** Returns the module with this name; the root if there is none. */
  moduleNamed(name) {
    return this.modules.find((module) => module.name === name) ?? this.modules[0];
  }

  /** Returns true if `name` names the module or a descendant, even a descendant that is not in the tree. */
  isWithin(name, module) {
    return module === this.modules[0] || name === module.name || name.startsWith(`${module.name}.`);
  }

  /** Returns the modules on the path from the root to the module. */
  pathTo(module) {
    const path = [];
    for (let at = module; at; at = this.modules[at.parent]) {
      path.unshift(at);
    }
    return path;
  }

  /** Returns the direct children of a module. */
  childrenOf(module) {
    const children = [];
    for (let index = module.index + 1; index < module.end; index = this.modules[index].end) {
      children.push(this.modules[index]);
    }
    return children;
  }

  /** Returns "rank 3"; for a process without a rank, its host and pid. */
  processName(index) {
    const rank = this.processes.rank[index];
    return rank === null
      ? `${this.strings[this.processes.host[index]]} pid ${this.processes.pid[index]}`
      : `rank ${rank}`;
  }
}
