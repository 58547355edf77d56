// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { compare } from "./table.js";

/** Selects and sorts the modules of the module table. */

/** The tree initially opens as many levels as fit into this number of rows: about one screen. */
const kFirstRows = 24;

/** Returns the number of a module's calls in the chosen unit. */
export function callsOf({ job, choice }, { calls }) {
  return calls.reduce((a, b) => a + b, 0) / (choice.unit === "sum" ? 1 : job.divisorOf(false));
}

/** Returns the module's value in a column of the table. */
export function moduleValue(view, key, module) {
  const { own, inclusive } = view.sums;
  if (key === "name") {
    return view.choice.rows === "tree" ? module.label : module.name;
  }
  if (key === "calls") {
    return callsOf(view, module);
  }
  return key.startsWith("own_") ? own[key.slice(4)][module.index] : inclusive[key][module.index];
}

/**
 * Returns flags by module index: 2 if the module has collectives and matches the search; 1 for other ancestors of such
 * a module; otherwise 0.
 */
function wantedModules(view) {
  const { job, module: root, choice, sums } = view;
  const text = choice.find.toLowerCase();
  const wanted = new Uint8Array(job.modules.length);
  for (let index = root.end - 1; index >= root.index; index -= 1) {
    const module = job.modules[index];
    const counts = choice.empty === "show" || sums.inclusive.count[index] > 0;
    const matches = text === "" || `${module.name} ${module.className}`.toLowerCase().includes(text);
    if (counts && matches) {
      wanted[index] = 2;
    }
    if (wanted[index] > 0 && index > root.index) {
      wanted[module.parent] = Math.max(wanted[module.parent], 1);
    }
  }
  return wanted;
}

/** Returns the indices of the modules that are open initially: whole levels, as long as their rows fit. */
function openedAtFirst(view, wanted) {
  const opened = new Set();
  let level = [view.module];
  let rows = 1;
  while (level.length > 0) {
    const next = level.flatMap((module) => view.job.childrenOf(module).filter((child) => wanted[child.index] > 0));
    if (rows + next.length > kFirstRows && opened.size > 0) {
      break;
    }
    for (const module of level) {
      opened.add(module.index);
    }
    rows += next.length;
    level = next;
  }
  return opened;
}

/** Sorts siblings, or the whole flat list. */
function sorted(view, modules) {
  const { sort, order } = view.choice;
  if (sort === "tree") {
    return modules;
  }
  const values = new Map(modules.map((module) => [module, moduleValue(view, sort, module)]));
  return modules.sort((a, b) => compare(values.get(a), values.get(b), order) || a.index - b.index);
}

/**
 * @typedef {Object} ModuleRow
 * @property {import("./job.js").Module} module
 * @property {number} indent depth below the root of the table
 * @property {boolean} parent true if it has children in the table
 * @property {boolean} open true if the children are shown
 */

function treeRows(view, wanted, isOpen) {
  const rows = [];
  const add = (module, indent) => {
    const children = view.job.childrenOf(module).filter((child) => wanted[child.index] > 0);
    const open = children.length > 0 && isOpen(module);
    rows.push({ module, indent, parent: children.length > 0, open });
    return open ? sorted(view, children) : [];
  };
  // Iterative: deeply nested modules would overflow the stack.
  const waiting = [{ module: view.module, indent: 0 }];
  while (waiting.length > 0) {
    const { module, indent } = waiting.pop();
    const children = add(module, indent);
    waiting.push(...children.reverse().map((child) => ({ module: child, indent: indent + 1 })));
  }
  return rows;
}

/**
 * Returns the rows of the table.
 * @param {Map<string, boolean>} toggled true for modules that the reader has opened, false for closed ones; by name
 * @returns {ModuleRow[]}
 */
export function moduleRows(view, toggled) {
  const wanted = wantedModules(view);
  if (wanted[view.module.index] === 0) {
    return [];
  }
  if (view.choice.rows === "flat") {
    const matching = view.job.modules
      .slice(view.module.index, view.module.end)
      .filter(({ index }) => wanted[index] > 1);
    return sorted(view, matching).map((module) => ({ module, indent: 0, parent: false, open: false }));
  }
  const searching = view.choice.find !== "";
  const opened = searching ? new Set() : openedAtFirst(view, wanted);
  return treeRows(view, wanted, ({ index, name }) => toggled.get(name) ?? (searching || opened.has(index)));
}

/** Finds modules that communicate alike: layers of one model, experts of one layer. */

/** Numbers texts: equal texts have equal numbers. */
class Numbering {
  constructor() {
    this.known = new Map();
  }

  of(text) {
    const number = this.known.get(text) ?? this.known.size;
    this.known.set(text, number);
    return number;
  }
}

/** Returns what identifies a row among those of its module; with its amounts if `exact`. */
function rowText({ rows }, row, exact) {
  const names = ["phase", "kind", "op", "dtype", "label", "setup"];
  return [...names, ...(exact ? ["group", "count", "bytes"] : [])].map((name) => rows[name][row]).join(" ");
}

/**
 * Returns a number per module. Modules with equal numbers have the same subtree: classes, names relative to them, and
 * rows; with equal amounts if `exact`.
 */
export function likeness(job, exact) {
  const texts = job.modules.map(({ className }) => [className]);
  for (let row = 0; row < job.rowCount; row += 1) {
    texts[job.rows.module[row]].push(rowText(job, row, exact));
  }
  const numbering = new Numbering();
  const found = new Int32Array(job.modules.length);
  for (let index = job.modules.length - 1; index >= 0; index -= 1) {
    const { parent, label } = job.modules[index];
    found[index] = numbering.of(texts[index].join("\n"));
    if (parent >= 0) {
      texts[parent].push(`${label}\t${found[index]}`);
    }
  }
  return found;
}
