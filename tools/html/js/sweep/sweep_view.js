// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, named, refill } from "../dom.js";
import { panel } from "../findings.js";
import { numberColumn, SortedTable, textColumn } from "../sorted_table.js";
import { bytesText, commandText, fractionText, inertAll, plural, wholeText } from "../text.js";

/** The page of a sweep of `commtap plan`: its layouts side by side. The document is sweep.json. */

const kCommandLength = 400;
const kName = "layouts";

/** Returns one row for all groups of a layout and one for each group. */
function rowsOf(sweep) {
  return sweep.layouts
    .filter(({ failure }) => failure === "")
    .flatMap(({ name, all, groups }, place) =>
      [{ ...all, group: "all" }, ...groups].map((part) => ({ ...part, layout: name, place, isAll: part.size === 0 })),
    );
}

function columnsOf(rows) {
  const number = (key, title, value, write) => numberColumn(key, title, (row) => value(rows[row]), write);
  return [
    textColumn("layout", "Layout", (row) => rows[row].layout, { header: true, value: (row) => rows[row].place }),
    textColumn("group", "Group", (row) => rows[row].group),
    number("size", "Ranks", ({ size, isAll }) => (isAll ? null : size), wholeText),
    number("nodes", "Nodes", ({ nodes }) => nodes, wholeText),
    number("calls", "Calls", ({ calls }) => calls, fractionText),
    number("bytes", "Bytes", ({ bytes }) => bytes, bytesText),
    number("inside", "In a node", ({ bytes, bytes_across_nodes: across }) => bytes - across, bytesText),
    number("across", "Across nodes", (part) => part.bytes_across_nodes, bytesText),
    number("smallest", "Smallest", ({ smallest }) => smallest, bytesText),
    number("largest", "Largest", ({ largest }) => largest, bytesText),
  ];
}

/** The table, whose first order is that of the document. */
class LayoutTable {
  constructor(sweep) {
    this.rows = rowsOf(sweep);
    this.byGroup = h("input", { type: "checkbox", checked: true, onchange: () => this.draw() });
    this.table = new SortedTable(kName, "Layouts; per rank and step", "layout");
    this.table.order = "up";
    this.place = h("div", null);
    byId(kName).replaceChildren(h("div", { class: "bar" }, h("label", null, this.byGroup, " by group")), this.place);
  }

  draw() {
    const shown = this.rows.map((_, row) => row).filter((row) => this.byGroup.checked || this.rows[row].isAll);
    refill(
      this.place,
      this.table.element(columnsOf(this.rows), shown, () => this.draw()),
    );
  }
}

function findingsOf({ layouts }) {
  const list = (lines) => h("ul", null, ...lines.map((line) => h("li", null, line)));
  const failed = layouts.filter(({ failure }) => failure !== "").map(({ name, failure }) => `${name}: ${failure}`);
  const found = [];
  if (failed.length > 0) {
    const title = `${plural(failed.length, "layout")} failed`;
    found.push({ key: "failed", level: "warn", title, body: list(failed), open: true });
  }
  return found;
}

function drawHeader(sweep) {
  const command = commandText(sweep.command);
  const facts = [
    ["Planned", "nothing was communicated"],
    ["Ranks", `${wholeText(sweep.world_size)}, ${wholeText(sweep.ranks_per_node)} per node`],
    ["Layouts", wholeText(sweep.layouts.length)],
    ["Command", named(command, kCommandLength)],
  ].filter(([, value]) => value !== "");
  refill(byId("run"), "layouts");
  document.title = "commtap: layouts";
  refill(byId("facts"), ...facts.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

/** Shows the sweep. */
export function drawSweep(document_) {
  const sweep = inertAll(document_);
  const skip = document.querySelector(".skip");
  skip.href = "#layouts-title";
  skip.textContent = "Skip to the layouts";
  byId("sweep").hidden = false;
  drawHeader(sweep);
  refill(byId("sweep-findings"), ...findingsOf(sweep).map(panel));
  new LayoutTable(sweep).draw();
}
