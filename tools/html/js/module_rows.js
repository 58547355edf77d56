// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { compare } from "./table.js";

/** Which modules the table shows, and in what order. */

/** A tree is opened as far as it fits on a screen. */
const kFirstRows = 24;

/** The value of a module in a column of the table. */
export function moduleValue(view, key, module) {
  const { own, inclusive } = view.sums;
  if (key === "name") {
    return view.choice.rows === "tree" ? module.label : module.name;
  }
  if (key === "calls") {
    return module.calls.reduce((a, b) => a + b, 0);
  }
  return key.startsWith("own_") ? own[key.slice(4)][module.index] : inclusive[key][module.index];
}

/** Modules with a collective, or that match the search, and everything above those: as flags by index. */
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

/** Modules to open at first: level by level, as long as the rows fit. */
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

/** The order among siblings, or among all. */
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
 * @property {number} indent levels below the root of the table
 * @property {boolean} parent has rows below it
 * @property {boolean} open they are shown
 */

function treeRows(view, wanted, isOpen) {
  const rows = [];
  const add = (module, indent) => {
    const children = view.job.childrenOf(module).filter((child) => wanted[child.index] > 0);
    const open = children.length > 0 && isOpen(module);
    rows.push({ module, indent, parent: children.length > 0, open });
    return open ? sorted(view, children) : [];
  };
  // Without recursion: depth is data.
  const waiting = [{ module: view.module, indent: 0 }];
  while (waiting.length > 0) {
    const { module, indent } = waiting.pop();
    const children = add(module, indent);
    waiting.push(...children.reverse().map((child) => ({ module: child, indent: indent + 1 })));
  }
  return rows;
}

/**
 * The table's rows.
 * @param {Map<string, boolean>} toggled what the reader has opened and closed, by name
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
