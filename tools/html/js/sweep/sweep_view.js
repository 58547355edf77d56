// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, named, refill } from "../dom.js";
import { panel } from "../findings.js";
import { numberColumn, SortedTable, textColumn } from "../table.js";
import { bytesText, commandText, fractionText, inertAll, plural, startOf, wholeText } from "../text.js";

/** The page of a sweep of `commtap plan`: its layouts side by side. The document is sweep.json. */

const kCommandLength = 400;
const kTitleLength = 100;
const kName = "layouts";
const kNameLength = 80;

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

/** Returns the part of a bar that is `value` of `most`. */
function part(kind, value, most) {
  const fill = h("span", { class: `fill ${kind}` });
  fill.style.width = `${most > 0 ? (100 * value) / most : 0}%`;
  return fill;
}

/** Returns a layout's bar: bytes across nodes, then those in a node, as parts of the most bytes of a layout. */
function barOf({ name, all }, most) {
  const { bytes, bytes_across_nodes: across } = all;
  return h(
    "li",
    { class: "bar-line" },
    h("span", { class: "bar-name" }, named(name, kNameLength)),
    h(
      "span",
      { class: "track", "aria-hidden": "true" },
      part("across", across, most),
      part("inside", bytes - across, most),
    ),
    h(
      "span",
      { class: "bar-value" },
      bytesText(across),
      h("span", { class: "muted" }, ` across nodes, ${bytesText(bytes - across)} in a node`),
    ),
  );
}

/** Draws the chart: a bar per layout, in the order of the document. */
function drawBars({ layouts }) {
  const drawn = layouts.filter(({ failure }) => failure === "");
  const most = Math.max(...drawn.map(({ all }) => all.bytes));
  const key = (kind, text) => h("span", null, h("span", { class: `swatch ${kind}` }), text);
  refill(
    byId("layout-bars"),
    h("p", { class: "muted keys" }, key("across", "bytes across nodes"), key("inside", "bytes in a node")),
    h("ul", { class: "bars" }, ...drawn.map((layout) => barOf(layout, most))),
  );
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
  const title = `layouts of ${startOf(command, kTitleLength)}`;
  refill(byId("run"), title);
  document.title = `commtap: ${title}`;
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
  drawBars(sweep);
  new LayoutTable(sweep).draw();
}
