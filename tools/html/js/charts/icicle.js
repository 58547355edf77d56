// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

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
