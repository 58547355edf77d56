// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, h, scrollBox } from "./dom.js";
import { plural, wholeText } from "./text.js";

/** Tables with sortable columns. They show a page of rows, and more on request. */

/**
 * @typedef {Object} Column
 * @property {string} key
 * @property {string} title
 * @property {boolean} [number] right-aligned
 * @property {boolean} [header] true if the cell is the row's header
 * @property {boolean} [long] true if cells may contain names from the job
 * @property {boolean} [fixed] true if the table cannot be sorted by the column
 * @property {(row: any) => (Node|string)} cell
 */

const kPage = 100;

/**
 * Returns a title with its mark, before the title of numbers and after that of texts. The mark does not wrap from its
 * word: alone on a line it would belong to no column.
 */
function markedTitle({ title, number }, mark) {
  const words = title.split(" ");
  const word = number ? words.shift() : words.pop();
  const together = h("span", { class: "together" }, ...(number ? [mark, word] : [word, mark]));
  const rest = words.map((each) => (number ? ` ${each}` : `${each} `)).join("");
  return number ? [together, rest] : [rest, together];
}

function heading(table, column) {
  const sorted = table.sort === column.key;
  const order = table.order === "up" ? "ascending" : "descending";
  const mark = h("span", { class: "mark", "aria-hidden": "true" }, sorted ? (table.order === "up" ? "▲" : "▼") : "");
  const content = column.fixed
    ? column.title
    : h(
        "button",
        { type: "button", "data-key": `${table.name}-sort-${column.key}`, onclick: () => table.onSort(column) },
        ...markedTitle(column, mark),
      );
  return h("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": sorted ? order : null }, content);
}

function cell(column, row) {
  const content = column.cell(row);
  return column.header
    ? h("th", { scope: "row" }, content)
    : h("td", { class: column.number ? "number" : column.long ? "long" : null }, content);
}

/**
 * @param {Object} table
 * @param {string} table.name unique in the page
 * @param {string} table.caption for screen readers
 * @param {Column[]} table.columns
 * @param {any[]} table.rows already sorted
 * @param {(row: any) => string} [table.rowClass]
 * @param {string} table.sort the key of the column that the rows are sorted by
 * @param {"up"|"down"} table.order
 * @param {(column: Column) => void} table.onSort
 * @param {number} table.pages number of shown pages
 * @param {() => void} table.onMore
 */
export function tableOf(table) {
  const shown = table.rows.slice(0, kPage * table.pages);
  const rest = table.rows.length - shown.length;
  const body = shown.map((row) =>
    h("tr", { class: table.rowClass?.(row) || null }, ...table.columns.map((column) => cell(column, row))),
  );
  const element = h(
    "table",
    null,
    h("caption", { class: "unseen" }, table.caption),
    h("thead", null, h("tr", null, ...table.columns.map((column) => heading(table, column)))),
    h("tbody", null, ...body),
  );
  const more =
    rest > 0
      ? h(
          "button",
          { type: "button", class: "more", "data-key": `${table.name}-more`, onclick: table.onMore },
          `Show ${wholeText(Math.min(kPage, rest))} more of ${plural(table.rows.length, "row")}`,
        )
      : null;
  return h("div", null, scrollBox(`${table.name}-scroll`, table.caption, element), more);
}

/** Returns the order for the first click on a column: descending for numbers, ascending for text. */
export function firstOrder(column) {
  return column.number ? "down" : "up";
}

/**
 * Returns the order after a click on `chosen` in a table that is sorted by the column `key`. A second click reverses
 * the order.
 */
export function orderAfter(chosen, key, order) {
  const first = firstOrder(chosen);
  const again = chosen.key === key && order === first;
  return again ? (first === "up" ? "down" : "up") : first;
}

/** Compares two values for sorting. Numbers within text compare by value: "layers.2" comes before "layers.10". */
export function compare(a, b, order) {
  const result = typeof a === "number" ? a - b : kCollator.compare(a, b);
  return order === "up" ? result : -result;
}

const kCollator = new Intl.Collator("en", { numeric: true });

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
