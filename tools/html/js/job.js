// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { inert, shorten } from "./text.js";

/** The job that is shown, made from the document that tools/html/page_data.h describes. Names are inert from here on. */

/**
 * @typedef {Object} Module
 * @property {number} index depth first: the modules below are those from index + 1 to end - 1
 * @property {number} end
 * @property {string} name
 * @property {string} label the name below its parent: "net1" of "MLP.net1"
 * @property {string} className "" if it is not known
 * @property {number} parent an index; -1 for the root
 * @property {number} depth
 * @property {number[]} calls by phase, summed over ranks
 * @property {number} rankSet which ranks have it
 */

/** Longer names are cut for the places that have one line; the full one is in the tables. */
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

/** Two groups may have one name only if it became one by being made inert: labels must tell them apart. */
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

function inertAll(value) {
  if (typeof value === "string") {
    return inert(value);
  }
  if (Array.isArray(value)) {
    return value.map(inertAll);
  }
  return value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inertAll(item)]))
    : value;
}

/** How many ranks are in ranges of them. */
export function sizeOf(ranges) {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export class Job {
  /**
   * @param document as tools/html/page_data.h describes it
   * @param {boolean} live whether it comes from `commtap serve`, which sees the ranks of its own node
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
    this.modules = modulesOf(document.modules, this.strings);
    /** Columns, one entry a row of `collectives`; numbers are sums over ranks, with the smallest and largest of a rank. */
    this.rows = document.rows;
    this.rowCount = document.rows.module.length;
    /** Columns, one entry a process. */
    this.processes = document.processes;
    this.processCount = document.processes.rank.length;
    this.runs = live && this.processes.exit.includes("running");
    /** Columns: what a process has of a kind. */
    this.cells = document.cells;
    /** A process without a rank counts as one. */
    this.rankCount = sizeOf(this.ranks) + this.processes.rank.filter((rank) => rank === null).length;
    /** Columns, one entry a run of steps that some ranks have added up alike; numbers are sums over these ranks. */
    this.steps = document.steps;
    /** Columns: what such a row has of a kind in a group. */
    this.stepCells = document.step_cells;
    /** Columns, one entry a kind and group whose durations were measured; and the same by module. */
    this.groupTimes = document.group_times;
    this.moduleTimes = document.module_times;
    /** null if NCCL was not called; two tables of columns, and who called it. */
    this.nccl = document.nccl && { ...document.nccl, versions: inertAll(document.nccl.versions) };
  }

  /** The module with this name; the root if there is none. */
  moduleNamed(name) {
    return this.modules.find((module) => module.name === name) ?? this.modules[0];
  }

  /** Whether a name is the module's own or that of one below it, in the tree or not. */
  isWithin(name, module) {
    return module === this.modules[0] || name === module.name || name.startsWith(`${module.name}.`);
  }

  /** From the root to the module. */
  pathTo(module) {
    const path = [];
    for (let at = module; at; at = this.modules[at.parent]) {
      path.unshift(at);
    }
    return path;
  }

  /** Modules directly below. */
  childrenOf(module) {
    const children = [];
    for (let index = module.index + 1; index < module.end; index = this.modules[index].end) {
      children.push(this.modules[index]);
    }
    return children;
  }

  /** "rank 3"; a process without a rank by its host and pid. */
  processName(index) {
    const rank = this.processes.rank[index];
    return rank === null
      ? `${this.strings[this.processes.host[index]]} pid ${this.processes.pid[index]}`
      : `rank ${rank}`;
  }
}
