// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** The nodes of the module tree's chart: modules, and equal modules as one node: "layers.* × 80". */

/**
 * @typedef {Object} Node
 * @property {import("../job.js").Module[]} modules whose amounts the node has
 * @property {import("../job.js").Module} target the module that a click shows
 * @property {string} label
 * @property {number} times how many siblings are one node
 * @property {boolean} isEqual false if siblings of other amounts, or of other names, are one node
 * @property {boolean} isRest true for several small modules, which have no children in the chart
 */

function skeletonOf({ label }) {
  return label.replace(/\d+/g, "#");
}

/** Returns "0-2,5" for ascending numbers. */
function rangeText(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && last[1] === number - 1) {
      last[1] = number;
    } else {
      parts.push([number, number]);
    }
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** Returns the name of several of `siblings` whose labels differ in numbers: "*" is all numbers that they have. */
function patternOf(modules, siblings) {
  const skeleton = skeletonOf(modules[0]);
  const all = siblings.filter((module) => skeletonOf(module) === skeleton);
  const numbers = modules.map(({ label }) => label.match(/\d+/g).map(Number));
  const varying = numbers[0].map((_, i) => numbers.some((each) => each[i] !== numbers[0][i]));
  const only = varying.filter(Boolean).length === 1 && modules.length < all.length;
  let at = -1;
  return skeleton.replace(/#/g, () => {
    at += 1;
    const ofThis = numbers.map((each) => each[at]);
    return varying[at] ? (only ? rangeText(ofThis.sort((a, b) => a - b)) : "*") : `${ofThis[0]}`;
  });
}

/** Returns the values of `list` that have the same key together, in the order of the first of each. */
function grouped(list, keyOf) {
  const found = new Map();
  for (const each of list) {
    const key = keyOf(each);
    found.set(key, [...(found.get(key) ?? []), each]);
  }
  return [...found.values()];
}

export class NodeTree {
  /**
   * @param {{own: Float64Array, inclusive: Float64Array}} values by module
   * @param {{equal: Int32Array, alike: Int32Array}} numbers of likeness(), with equal amounts and without
   */
  constructor(job, { own, inclusive }, { equal, alike }) {
    this.job = job;
    this.own = own;
    this.inclusive = inclusive;
    this.equal = equal;
    this.alike = alike;
  }

  rootOf(module) {
    return { modules: [module], target: module, label: module.label, times: 1, isEqual: true, isRest: false };
  }

  valueOf({ modules }) {
    return modules.reduce((sum, { index }) => sum + this.inclusive[index], 0);
  }

  ownOf({ modules, isRest }) {
    return isRest ? 0 : modules.reduce((sum, { index }) => sum + this.own[index], 0);
  }

  /**
   * Returns the children that have a value, equal ones as one node. `hasRoom` returns whether a value has room for a
   * name: nodes without it are one with those like them, or else with each other.
   */
  childrenOf(node, hasRoom) {
    if (node.isRest) {
      return [];
    }
    const columns = this.#columnsOf(node);
    const isFlat = (each) => !hasRoom(this.valueOf(each));
    const equal = this.#merged(columns, new Set(node.isEqual ? [] : columns.flat()));
    const flat = equal.filter(isFlat).flatMap(({ modules }) => modules);
    const nodes = flat.length > 0 ? this.#merged(columns, new Set(node.isEqual ? flat : columns.flat())) : equal;
    return withRest(node, nodes, isFlat).map((child) => this.#unwrapped(child, hasRoom));
  }

  /** Returns the children of a node's modules, those at one position together. */
  #columnsOf({ modules }) {
    const lists = modules.map((module) => this.job.childrenOf(module));
    return lists[0]
      .map((_, at) => lists.map((list) => list[at]))
      .filter((column) => column.some(({ index }) => this.inclusive[index] > 0));
  }

  /** Returns nodes for columns. Modules in `loose` need not have equal amounts to be one. */
  #merged(columns, loose) {
    const siblings = columns.map(([module]) => module);
    const keyOf = ([module]) => {
      const skeleton = skeletonOf(module);
      const isNumbered = skeleton.includes("#");
      return `${skeleton} ${isNumbered ? (loose.has(module) ? `~${this.alike[module.index]}` : this.equal[module.index]) : module.index}`;
    };
    return grouped(columns, keyOf).map((alike) => {
      const firsts = alike.map(([module]) => module);
      return {
        modules: alike.flat(),
        target: firsts[0],
        label: alike.length > 1 ? `${patternOf(firsts, siblings)} × ${alike.length}` : firsts[0].label,
        times: alike.length,
        isEqual: new Set(firsts.map(({ index }) => this.equal[index])).size === 1,
        isRest: false,
      };
    });
  }

  /** Returns the only child of a module that has nothing of its own, if several modules are that child. */
  #unwrapped(node, hasRoom) {
    if (node.isRest || node.times > 1 || this.ownOf(node) > 0) {
      return node;
    }
    const [child, ...others] = this.childrenOf(node, hasRoom);
    return child?.times > 1 && !child.isRest && others.length === 0
      ? { ...child, target: node.target, label: `${node.label}.${child.label}` }
      : node;
  }
}

/** Returns the nodes, with all that are flat as one if there are several. */
function withRest(parent, nodes, isFlat) {
  const flat = nodes.filter(isFlat);
  if (flat.length < 2) {
    return nodes;
  }
  const times = flat.reduce((sum, node) => sum + node.times, 0);
  const modules = flat.flatMap((node) => node.modules);
  const rest = { modules, target: parent.target, label: `${times} smaller`, times, isEqual: false, isRest: true };
  return [...nodes.filter((node) => !isFlat(node)), rest];
}

/**
 * Lays out the module tree as an icicle. The shown module is a line on top, its descendants are below it, one column per
 * level. A box is as tall as its share of its parent's box.
 */

/**
 * @typedef {Object} Box in pixels
 * @property {import("./tree_nodes.js").Node} node
 * @property {?Box} parent
 * @property {number} level 0 for the root
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */

/** The height in pixels of the line on top, and of the gap below it. */
const kRootHeight = 24;
const kRootGap = 3;
/** The minimum width of a column in pixels, so that names fit. */
const kColumnWidth = 150;
/** The minimum height of a box in pixels that has room for its name. */
export const kTallEnough = 13;
/** The minimum height of a box in pixels. A flatter box is invisible, so it is left out with its descendants. */
const kFlattest = 0.5;

/** Returns the width in pixels that all levels of a picture need. */
export function widthOf({ boxes }) {
  return kColumnWidth * (boxes.at(-1)?.level ?? 0);
}

/**
 * Returns boxes for the node `root` and its descendants, level by level, each level from top to bottom. Returns none if
 * the value of `root` is 0. `own` has the areas next to a node's children that show its exclusive amount.
 * @param {import("./tree_nodes.js").NodeTree} tree
 * @returns {{boxes: Box[], own: Box[]}}
 */
export function icicle(tree, root, width, height) {
  if (tree.valueOf(root) <= 0) {
    return { boxes: [], own: [] };
  }
  const top = kRootHeight + kRootGap;
  const rows = layOut(tree, root, top, height - top);
  const last = rows.boxes.at(-1).level;
  const column = width / last;
  for (const box of [...rows.boxes.slice(1), ...rows.own]) {
    Object.assign(box, { x: (box.level - 1) * column, width: column });
  }
  Object.assign(rows.boxes[0], { x: 0, y: 0, width, height: last === 0 ? height : kRootHeight });
  return { boxes: rows.boxes, own: rows.own.filter(({ level }) => level <= last) };
}

/** Assigns the vertical positions of the boxes below the root, from `top` downwards. */
function layOut(tree, root, top, height) {
  const scale = height / tree.valueOf(root);
  const boxes = [{ node: root, parent: null, level: 0, y: top, height }];
  const own = [];
  for (let at = 0; at < boxes.length; at += 1) {
    const parent = boxes[at];
    const level = parent.level + 1;
    let { y } = parent;
    for (const node of tree.childrenOf(parent.node, (value) => value * scale >= kTallEnough)) {
      const tall = tree.valueOf(node) * scale;
      if (tall >= kFlattest) {
        boxes.push({ node, parent, level, y, height: tall });
      }
      y += tall;
    }
    const left = parent.y + parent.height - y;
    if (y > parent.y && left >= kFlattest) {
      own.push({ node: parent.node, level, y, height: left });
    }
  }
  return { boxes, own };
}

/** Returns the position of the box that an arrow key moves to from `at`; `at` if there is none. */
export function neighbour(boxes, at, key) {
  const from = boxes[at];
  const find = (wanted) => {
    const found = boxes.findIndex(wanted);
    return found < 0 ? at : found;
  };
  if (key === "ArrowRight" || (key === "ArrowDown" && from.level === 0)) {
    return find((box) => box.parent === from);
  }
  if (key === "ArrowLeft") {
    return from.level === 0 ? at : find((box) => box === from.parent);
  }
  const next = at + (key === "ArrowDown" ? 1 : -1);
  return boxes[next]?.level === from.level ? next : at;
}
