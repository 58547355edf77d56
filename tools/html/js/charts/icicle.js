// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/**
 * Lays out the module tree as an icicle. The shown module is a line on top, its descendants are below it, one column per
 * level. A box is as tall as its share of its parent's box.
 */

/**
 * @typedef {Object} Box in pixels
 * @property {import("../job.js").Module} module
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
/** The minimum height of a box in pixels. A flatter box is invisible, so it is left out with its descendants. */
const kFlattest = 0.5;

function levelsBelow(job, values, root) {
  let deepest = root.depth;
  for (let index = root.index; index < root.end; index += 1) {
    if (values[index] > 0) {
      deepest = Math.max(deepest, job.modules[index].depth);
    }
  }
  return deepest - root.depth + 1;
}

/**
 * Returns boxes for `root` and its descendants, level by level, each level from top to bottom. Returns none if the
 * value of `root` is 0. `own` has the areas next to a module's children that show the module's exclusive amount.
 * @param {Float64Array} values by module, inclusive
 * @returns {{boxes: Box[], own: Box[]}}
 */
export function icicle(job, values, root, width, height) {
  if (values[root.index] <= 0) {
    return { boxes: [], own: [] };
  }
  const most = Math.min(levelsBelow(job, values, root), 1 + Math.max(1, Math.floor(width / kColumnWidth)));
  const top = kRootHeight + kRootGap;
  const rows = layOut(job, values, root, most, top, height - top);
  // If all modules of a level are too flat, the other columns share its width.
  const last = rows.boxes.at(-1).level;
  const column = width / last;
  const place = (box) => ({ ...box, x: (box.level - 1) * column, width: column });
  const [line, ...below] = rows.boxes;
  return {
    boxes: [{ ...line, x: 0, width, height: last === 0 ? height : kRootHeight }, ...below.map(place)],
    own: rows.own.filter(({ level }) => level <= last).map(place),
  };
}

/** Assigns the vertical positions of the boxes below the root, from `top` downwards. */
function layOut(job, values, root, levels, top, height) {
  const scale = height / values[root.index];
  const boxes = [{ module: root, level: 0, y: 0, height: 0 }];
  const own = [];
  for (let at = 0; at < boxes.length; at += 1) {
    const parent = at === 0 ? { ...boxes[0], y: top, height } : boxes[at];
    const level = parent.level + 1;
    if (level === levels) {
      continue;
    }
    let { y } = parent;
    for (const module of job.childrenOf(parent.module)) {
      const tall = values[module.index] * scale;
      if (tall >= kFlattest) {
        boxes.push({ module, level, y, height: tall });
      }
      y += tall;
    }
    const left = parent.y + parent.height - y;
    if (y > parent.y && left >= kFlattest) {
      own.push({ module: parent.module, level, y, height: left });
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
    return find((box) => box.module.parent === from.module.index && box.level === from.level + 1);
  }
  if (key === "ArrowLeft") {
    return from.level === 0 ? at : find((box) => box.module.index === from.module.parent);
  }
  const next = at + (key === "ArrowDown" ? 1 : -1);
  return boxes[next]?.level === from.level ? next : at;
}
