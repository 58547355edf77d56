// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** The module tree as an icicle: a column a level, the height of a box its share of the column before. */

/**
 * @typedef {Object} Box in pixels
 * @property {import("./job.js").Module} module
 * @property {number} level 0 for the root
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */

/** Narrower columns have no room for names. */
const kColumnWidth = 150;
/** What is flatter cannot be seen, and is left out with all below it. */
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
 * Boxes for `root` and what is below it, level by level, each from top to bottom; none if there is nothing. `own` are
 * the parts of the next column that are left because a module has them itself.
 * @param {Float64Array} values by module, inclusive
 * @returns {{boxes: Box[], own: Box[]}}
 */
export function icicle(job, values, root, width, height) {
  if (values[root.index] <= 0) {
    return { boxes: [], own: [] };
  }
  const most = Math.min(levelsBelow(job, values, root), Math.max(1, Math.floor(width / kColumnWidth)));
  const rows = layOut(job, values, root, most, height);
  // Where all modules of a level are too flat, the columns that there are get its room.
  const last = rows.boxes.at(-1).level;
  const column = width / (last + 1);
  const place = (box) => ({ ...box, x: box.level * column, width: column });
  return { boxes: rows.boxes.map(place), own: rows.own.filter(({ level }) => level <= last).map(place) };
}

/** The boxes' places from top to bottom. */
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

/** The box that an arrow key leads to from the box at `at`; the same if there is none. */
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
