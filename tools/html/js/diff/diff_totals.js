// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { differenceOf } from "./diff.js";
import { h } from "../dom.js";
import { kindColor } from "../charts/palette.js";
import { tableOf } from "../table.js";
import { bytesText, changeText, fractionText, shorten, signedText } from "../text.js";

/** The totals of two runs side by side. */

const kNameLength = 60;
/** Returns the change in percent of the run before: "+12.5 %", or "new" or "gone". */
export function percentText(amount) {
  return amount.before && amount.after ? changeText(...amount.bytes) : amount.before ? "gone" : "new";
}

/** Returns the columns for the amounts of both runs, first what a narrow window must show. */
export function amountColumns(extra) {
  const number = (key, title, value, write) => ({
    key,
    title,
    number: true,
    value: (row) => value(row),
    cell: (row) => write(value(row), row),
    ...extra,
  });
  const missing = (run, write) => (value, row) => (row[run] ? write(value) : "");
  const signed = (write) => (value) =>
    h("span", { class: value === 0 ? "muted" : "changed" }, signedText(value, write));
  return [
    number("bytes_after", "Bytes after", ({ bytes }) => bytes[1], missing("after", bytesText)),
    number("bytes_before", "Bytes before", ({ bytes }) => bytes[0], missing("before", bytesText)),
    number("bytes_change", "Bytes change", ({ bytes }) => differenceOf(bytes), signed(bytesText)),
    number("count_after", "Count after", ({ count }) => count[1], missing("after", fractionText)),
    number("count_before", "Count before", ({ count }) => count[0], missing("before", fractionText)),
    number("count_change", "Count change", ({ count }) => differenceOf(count), signed(fractionText)),
  ];
}

function nameCell({ by, name }) {
  if (by !== "kind") {
    return shorten({ all: "all collectives", "set-up": "before the first forward" }[by] ?? name, kNameLength);
  }
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = kindColor(name);
  return h("span", null, swatch, name);
}

export function totalsTable(diff) {
  return tableOf({
    name: "diff-totals",
    caption: `Totals of both runs, ${diff.unit}`,
    columns: [
      { key: "name", title: "Name", header: true, fixed: true, cell: nameCell },
      { key: "by", title: "By", fixed: true, cell: ({ by }) => by },
      { key: "percent", title: "Percent", number: true, fixed: true, cell: percentText },
      ...amountColumns({ fixed: true }),
    ],
    rows: diff.totals,
    pages: 1,
  });
}
