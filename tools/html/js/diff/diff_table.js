// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { differenceOf } from "./diff.js";
import { amountColumns, percentText } from "./diff_totals.js";
import { breakable, byId, h, refill, say } from "../dom.js";
import { SortedTable, textColumn } from "../sorted_table.js";
import { bytesText, plural, signedText, wholeText } from "../text.js";

/** The table of the modules, kinds and phases that differ between two runs, the most bytes first. */

const kNameLength = 100;
const kMostModules = 100;
const kDelay = 150; // milliseconds after the last key press before a search begins

/** Returns the bytes that differ in all modules of a row. */
function allBytes({ bytes, modules }) {
  return differenceOf(bytes) * modules.length;
}

function moduleCell(change) {
  const name = breakable(change.module, kNameLength);
  if (change.modules.length === 1) {
    return name;
  }
  const items = change.modules.slice(0, kMostModules).map((module) => h("li", null, breakable(module, kNameLength)));
  const rest = change.modules.length - items.length;
  const more = rest > 0 ? h("li", { class: "muted" }, `… and ${wholeText(rest)} more`) : null;
  const summary = h("summary", null, `${plural(change.modules.length, "module")}, each`);
  return h("span", null, name, h("details", { class: "muted" }, summary, h("ul", null, ...items, more)));
}

function columnsOf(changes) {
  const text = (key, title, extra) => ({ ...textColumn(key, title, (row) => changes[row][key]), ...extra });
  const ofRow = (column) => ({
    ...column,
    value: (row) => column.value(changes[row]),
    cell: (row) => column.cell(changes[row]),
  });
  return [
    text("module", "Module", { header: true, cell: (row) => moduleCell(changes[row]) }),
    text("phase", "Phase", { long: false }),
    text("kind", "Kind", { long: false }),
    { key: "percent", title: "Percent", number: true, fixed: true, cell: (row) => percentText(changes[row]) },
    ...amountColumns().map(ofRow),
    {
      key: "all",
      title: "In all modules",
      number: true,
      value: (row) => Math.abs(allBytes(changes[row])),
      cell: (row) => signedText(allBytes(changes[row]), bytesText),
    },
    text("group", "Group"),
    ...(changes.some(({ label }) => label !== "") ? [text("label", "Label")] : []),
    ...(changes.some(({ setup }) => setup !== "") ? [text("setup", "Set-up", { long: false })] : []),
    ...(changes.some(({ ranks }) => ranks !== "") ? [text("ranks", "Ranks")] : []),
  ];
}

export class DiffTable {
  /** @param {import("./diff.js").Diff} diff */
  constructor(diff) {
    this.changes = diff.changes;
    this.table = new SortedTable("changes", `Modules, phases, kinds and groups that differ; ${diff.unit}`, "all");
    this.find = h("input", {
      type: "search",
      placeholder: "module, phase, kind, group or label",
      spellcheck: "false",
      oninput: () => this.#search(),
    });
    this.rows = h("div", null);
    byId("changes").replaceChildren(
      h("div", { class: "bar" }, h("label", { class: "find" }, "Find", this.find)),
      this.rows,
    );
    this.texts = diff.changes.map(({ module, modules, phase, kind, group, label, setup }) =>
      [module, ...modules, phase, kind, group, label, setup].join(" ").toLowerCase(),
    );
  }

  draw() {
    const text = this.find.value.toLowerCase();
    const found = this.changes.map((_, row) => row).filter((row) => this.texts[row].includes(text));
    this.count = found.length;
    refill(
      this.rows,
      this.table.element(columnsOf(this.changes), found, () => this.draw()),
    );
  }

  #search() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.draw();
      say(`${plural(this.count, "row")} found`);
    }, kDelay);
  }
}
