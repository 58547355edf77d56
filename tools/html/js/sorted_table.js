// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, h } from "./dom.js";
import { compare, orderAfter, tableOf } from "./table.js";

/** Tables that keep their own sort order. Other tables keep it in the page's address. */

const kNameLength = 100;

/** Returns a column of names from the job. */
export function textColumn(key, title, value, extra) {
  const cell = (row) => breakable(value(row), kNameLength);
  return { key, title, value, cell, long: true, ...extra };
}

/** Returns a column of numbers. `value` returns null for an unknown number, whose cell stays empty. */
export function numberColumn(key, title, value, write) {
  const cell = (row) => (value(row) === null ? "" : write(value(row), row));
  return { key, title, number: true, value: (row) => value(row) ?? 0, cell };
}

export class SortedTable {
  /**
   * @param {string} name unique in the page
   * @param {string} caption for screen readers
   * @param {string} sort the key of the initial sort column; the largest value comes first
   */
  constructor(name, caption, sort) {
    this.name = name;
    this.caption = caption;
    this.pages = 1;
    this.sort = sort;
    this.order = "down";
  }

  /** Returns the table. `rows` are row numbers; `redraw` is called when the reader changes the order or shows more. */
  element(columns, rows, redraw) {
    if (rows.length === 0) {
      return h("p", { class: "muted nothing" }, "No rows match the filters.");
    }
    const { value } = columns.find(({ key }) => key === this.sort) ?? columns[0];
    return tableOf({
      name: this.name,
      caption: this.caption,
      columns,
      rows: rows.sort((a, b) => compare(value(a), value(b), this.order) || a - b),
      sort: this.sort,
      order: this.order,
      onSort: (chosen) => {
        this.order = orderAfter(chosen, this.sort, this.order);
        this.sort = chosen.key;
        redraw();
      },
      pages: this.pages,
      onMore: () => {
        this.pages += 1;
        redraw();
      },
    });
  }
}
