// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { h } from "./dom.js";
import { plural, wholeText } from "./text.js";

/** Plain tables with sortable columns, a page of rows at a time. */

/**
 * @typedef {Object} Column
 * @property {string} key
 * @property {string} title
 * @property {boolean} [number] right-aligned
 * @property {boolean} [header] the cell names the row
 * @property {boolean} [long] it may hold names from the job
 * @property {boolean} [fixed] cannot be sorted by
 * @property {(row: any) => (Node|string)} cell
 */

const kPage = 100;
const kScroll = { class: "scroll", tabindex: "0", role: "region" };

function heading(table, column) {
  const sorted = table.sort === column.key;
  const order = table.order === "up" ? "ascending" : "descending";
  const mark = h("span", { class: "mark", "aria-hidden": "true" }, sorted ? (table.order === "up" ? "▲" : "▼") : "");
  const content = column.fixed
    ? column.title
    : h(
        "button",
        { type: "button", "data-key": `${table.name}-sort-${column.key}`, onclick: () => table.onSort(column) },
        column.title,
        mark,
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
 * @param {any[]} table.rows in their order
 * @param {(row: any) => string} [table.rowClass]
 * @param {string} table.sort the key of the column that they are sorted by
 * @param {"up"|"down"} table.order
 * @param {(column: Column) => void} table.onSort
 * @param {number} table.pages how many pages are shown
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
  const scroll = h("div", { ...kScroll, "data-key": `${table.name}-scroll`, "aria-label": table.caption }, element);
  return h("div", null, scroll, more);
}

/** Numbers the largest first, text from A to Z: what one wants to see first. */
export function firstOrder(column) {
  return column.number ? "down" : "up";
}

/** The order when `chosen` is clicked in a table that is sorted by the column `key`: again the other way round. */
export function orderAfter(chosen, key, order) {
  const first = firstOrder(chosen);
  const again = chosen.key === key && order === first;
  return again ? (first === "up" ? "down" : "up") : first;
}

/** Compares values for a sort: numbers by size, text by its characters with numbers in it by size. */
export function compare(a, b, order) {
  const result = typeof a === "number" ? a - b : kCollator.compare(a, b);
  return order === "up" ? result : -result;
}

const kCollator = new Intl.Collator("en", { numeric: true });
