// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

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
