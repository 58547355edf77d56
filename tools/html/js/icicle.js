// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Lays out the module tree as an icicle: one column per level. A box is as tall as its share of its parent's box. */

/**
 * @typedef {Object} Box in pixels
 * @property {import("./job.js").Module} module
 * @property {number} level 0 for the root
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */

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
 * value
 * of `root` is 0. `own` has the areas next to a module's children that stand for the module's exclusive amount.
 * @param {Float64Array} values by module, inclusive
 * @returns {{boxes: Box[], own: Box[]}}
 */
export function icicle(job, values, root, width, height) {
  if (values[root.index] <= 0) {
    return { boxes: [], own: [] };
  }
  const most = Math.min(levelsBelow(job, values, root), Math.max(1, Math.floor(width / kColumnWidth)));
  const rows = layOut(job, values, root, most, height);
  // If all modules of a level are too flat, the other columns share its width.
  const last = rows.boxes.at(-1).level;
  const column = width / (last + 1);
  const place = (box) => ({ ...box, x: box.level * column, width: column });
  return { boxes: rows.boxes.map(place), own: rows.own.filter(({ level }) => level <= last).map(place) };
}

/** Assigns the vertical positions of the boxes. */
function layOut(job, values, root, levels, height) {
  const scale = height / values[root.index];
  const boxes = [{ module: root, level: 0, y: 0, height }];
  const own = [];
  for (let at = 0; at < boxes.length; at += 1) {
    const parent = boxes[at];
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
  if (key === "ArrowRight") {
    return find((box) => box.module.parent === from.module.index && box.level === from.level + 1);
  }
  if (key === "ArrowLeft") {
    return from.level === 0 ? at : find((box) => box.module.index === from.module.parent);
  }
  const next = at + (key === "ArrowDown" ? 1 : -1);
  return boxes[next]?.level === from.level ? next : at;
}
