// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, h } from "./dom.js";
import { compare, orderAfter, tableOf } from "./table.js";
import { shorten } from "./text.js";

/** Tables that remember themselves how the reader has sorted them. */

const kNameLength = 100;

/** A column of names from the job. */
export function textColumn(key, title, value, extra) {
  const cell = (row) => breakable(shorten(value(row), kNameLength));
  return { key, title, value, cell, long: true, ...extra };
}

/** A column of numbers; `value` gives null for what is not known. */
export function numberColumn(key, title, value, write) {
  const cell = (row) => (value(row) === null ? "" : write(value(row), row));
  return { key, title, number: true, value: (row) => value(row) ?? 0, cell };
}

export class SortedTable {
  /**
   * @param {string} name unique in the page
   * @param {string} caption for screen readers
   * @param {string} sort the key of the column by which it is sorted at first, largest first
   */
  constructor(name, caption, sort) {
    this.name = name;
    this.caption = caption;
    this.pages = 1;
    this.sort = sort;
    this.order = "down";
  }

  /** Rows are numbers; `redraw` is called when the reader wants them in another way. */
  element(columns, rows, redraw) {
    if (rows.length === 0) {
      return h("p", { class: "muted nothing" }, "None under this filter.");
    }
    const { value } = columns.find(({ key }) => key === this.sort);
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
