// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { differenceOf } from "./diff.js";
import { percentText } from "./diff_totals.js";
import { breakable, byId, h, refill } from "../dom.js";
import { kindColor } from "../charts/palette.js";
import { bytesText, fractionText, plural, signedText } from "../text.js";

/** The chart of two runs: a bar per row that differs, to the right for more and to the left for less. */

const kMostBars = 12;
const kNameLength = 80;

/** Returns a bar from the middle, as long as the part of `most` that `value` is. */
function bar(value, most, color) {
  const fill = h("span", { class: value < 0 ? "less" : "more-of" });
  fill.style.width = `${most > 0 ? (50 * Math.abs(value)) / most : 0}%`;
  fill.style.background = color;
  return h("span", { class: "balance", "aria-hidden": "true" }, fill);
}

function lineOf(change, value, most, write) {
  const { module, modules, phase, kind, group, label, setup } = change;
  const facts = [kind, phase, group, label, setup].filter((word) => word !== "").join(", ");
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = kindColor(kind);
  return h(
    "li",
    { class: "bar-line" },
    h(
      "span",
      { class: "bar-name" },
      swatch,
      breakable(module, kNameLength),
      modules.length > 1 ? ` × ${modules.length}` : "",
      h("span", { class: "muted" }, ` ${facts}`),
    ),
    bar(value, most, kindColor(kind)),
    h(
      "span",
      { class: "bar-value" },
      signedText(value, write),
      h("span", { class: "muted" }, ` ${percentText(change)}`),
    ),
  );
}

/** Shows the changes in bytes or, if no bytes differ, in calls: the largest first. */
export function drawDiffChart({ changes, unit }) {
  byId("diff-chart-card").hidden = changes.length === 0;
  const isBytes = changes.some(({ bytes }) => differenceOf(bytes) !== 0);
  const changeOf = ({ bytes, count, modules }) => differenceOf(isBytes ? bytes : count) * modules.length;
  const sorted = changes.slice().sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)));
  const shown = sorted.slice(0, kMostBars);
  const rest = sorted.length - shown.length;
  const most = Math.max(...shown.map((change) => Math.abs(changeOf(change))));
  byId("diff-chart-of").textContent = `${isBytes ? "bytes" : "calls"} in all modules of a row, ${unit}`;
  refill(
    byId("diff-chart"),
    h(
      "ul",
      { class: "bars" },
      ...shown.map((change) => lineOf(change, changeOf(change), most, isBytes ? bytesText : fractionText)),
    ),
    rest > 0 ? h("p", { class: "muted" }, `… and ${plural(rest, "row")} more below`) : null,
  );
}
