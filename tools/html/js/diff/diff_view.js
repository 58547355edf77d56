// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, byId, h, named, refill, say } from "../dom.js";
import { panel } from "../findings.js";
import { factsOf, runName } from "../header.js";
import { sizeOf } from "../job.js";
import { SortedTable, tableOf, textColumn } from "../table.js";
import { bytesText, plural, processesText, shorten, signedText, wholeText } from "../text.js";
import { amountColumns, differenceOf, drawDiffChart, percentText, totalsTable } from "./diff.js";

/** The table of the modules, kinds and phases that differ between two runs, the most bytes first. */

const kCellLength = 100;
const kMostModules = 100;
const kDelay = 150; // milliseconds after the last key press before a search begins

/** Returns the bytes that differ in all modules of a row. */
function allBytes({ bytes, modules }) {
  return differenceOf(bytes) * modules.length;
}

function moduleCell(change) {
  const name = breakable(change.module, kCellLength);
  if (change.modules.length === 1) {
    return name;
  }
  const items = change.modules.slice(0, kMostModules).map((module) => h("li", null, breakable(module, kCellLength)));
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

/** The page that compares two runs. */

const kNameLength = 60;
const kSourceLength = 80;

/** Returns the names of both runs; their ids if their names are equal. */
function namesOf(before, after) {
  const names = [runName(before), runName(after)];
  const ids = [before.facts.run_id, after.facts.run_id];
  return names[0] === names[1] && ids[0] !== ids[1] ? ids : names;
}

function drawHeader({ before, after }) {
  const [first, second] = namesOf(before, after);
  refill(byId("run"), named(first, kNameLength), " and ", named(second, kNameLength));
  document.title = `commtap: ${shorten(first, kNameLength)} and ${shorten(second, kNameLength)}`;
  const fact = (name, run) =>
    h("div", null, h("dt", null, name), h("dd", null, named(run.facts.source, kSourceLength)));
  refill(byId("facts"), fact("Before", before), fact("After", after));
}

/** Returns what is incomplete or wrong in one run. */
function flawsOf(run) {
  const missing = sizeOf(run.missingRanks);
  const killed = run.processes.exit.filter((exit) => exit === "killed").length;
  const failed = run.processes.exit_status.filter((status) => status > 0).length;
  return [
    missing > 0 ? `${plural(missing, "rank")} without a report` : "",
    killed > 0 ? `${processesText(killed)} killed` : "",
    failed > 0 ? `${processesText(failed)} ended with an error` : "",
    run.problems.length > 0 ? `${plural(run.problems.length, "file")} could not be read` : "",
    run.disagreementsFound > 0 ? `ranks disagree: ${plural(run.disagreementsFound, "difference")}` : "",
  ].filter((flaw) => flaw !== "");
}

function findingsOf(diff) {
  const flaws = [
    ["Before", diff.before],
    ["After", diff.after],
  ].flatMap(([name, run]) => flawsOf(run).map((flaw) => `${name}: ${flaw}.`));
  const list = (lines) => h("ul", null, ...lines.map((line) => h("li", null, line)));
  const found = [];
  if (flaws.length > 0) {
    found.push({ key: "flaws", level: "warn", title: "The runs are not complete", body: list(flaws), open: true });
  }
  if (diff.notes.length > 0) {
    const title = "The runs are hard to compare";
    found.push({ key: "notes", level: "note", title, body: list(diff.notes), open: true });
  }
  return found;
}

function drawFindings(diff) {
  const isSame = diff.changes.length === 0;
  const badge = h("span", { class: "badge" }, isSame ? "Good" : "Difference");
  const answer = h("p", { class: `finding answer ${isSame ? "good" : "note"}` }, badge, ` ${diff.summary}`);
  refill(byId("diff-findings"), answer, ...findingsOf(diff).map(panel));
}

/** Returns a table of the runs' facts, side by side. */
function runsTable({ before, after }) {
  const facts = [before, after].map((run) => new Map(factsOf(run).map((fact) => [fact.name, fact])));
  const names = [...new Set(facts.flatMap((each) => [...each.keys()]))];
  const cell = (run) => (name) => h("span", { title: facts[run].get(name)?.full }, facts[run].get(name)?.value ?? "");
  return tableOf({
    name: "runs",
    caption: "Facts about both runs",
    columns: [
      { key: "fact", title: "Fact", header: true, fixed: true, cell: (name) => name },
      { key: "before", title: "Before", fixed: true, long: true, cell: cell(0) },
      { key: "after", title: "After", fixed: true, long: true, cell: cell(1) },
    ],
    rows: names,
    pages: 1,
  });
}

/** Shows the difference. */
export function drawDiff(diff) {
  const skip = document.querySelector(".skip");
  skip.href = "#changes-title";
  skip.textContent = "Skip to the differences";
  byId("diff").hidden = false;
  drawHeader(diff);
  drawFindings(diff);
  refill(byId("runs"), runsTable(diff));
  byId("diff-totals-of").textContent = `${diff.unit}: the sum over ranks, divided by their number`;
  refill(byId("diff-totals"), totalsTable(diff));
  drawDiffChart(diff);
  byId("changes-of").textContent =
    `${diff.unit}: the mean over the ranks that have the row; modules without their children`;
  new DiffTable(diff).draw();
}
