// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { rowsBelow } from "./amounts.js";
import { breakable, byId, h, named, refill } from "./dom.js";
import { compare, orderAfter, tableOf } from "./table.js";
import { bytesText, fractionText, plural, rangesText, rankText, unitText, wholeText } from "./text.js";

/** The table of collectives: every distinct row of the shown module and of the modules below it. */

const kNameLength = 100;
const kWordLength = 40; // characters, in columns that do not wrap
const kAsync = 1; // value of yes in the column `async`

/** Returns how the number of calls differs between the ranks that have the row. */
function spreadText(job, row) {
  const { rows } = job;
  const [least, most] = [rows.count_min[row], rows.count_max[row]];
  if (least === most) {
    return rows.bytes_min[row] === rows.bytes_max[row]
      ? `${wholeText(least)} each`
      : `${wholeText(least)} each, ${bytesText(rows.bytes_min[row])} to ${bytesText(rows.bytes_max[row])}`;
  }
  const [leastRank, mostRank] = [rankText(rows.count_min_rank[row]), rankText(rows.count_max_rank[row])];
  return `${wholeText(least)} (${leastRank}) to ${wholeText(most)} (${mostRank})`;
}

function typeText(job, row) {
  const { dtype, reduce_op } = job.rows;
  const words = [job.strings[dtype[row]], job.strings[reduce_op[row]], job.rows.async[row] === kAsync ? "async" : ""];
  return words.filter((word) => word !== "").join(" ");
}

function columnsOf(view) {
  const { job } = view;
  const { rows, strings } = job;
  const text = (key, title, value, extra) => ({
    key,
    title,
    value,
    cell: (row) => (extra?.long ? breakable(value(row), kNameLength) : named(value(row), kWordLength)),
    ...extra,
  });
  const number = (key, title, write) => ({
    key,
    title,
    number: true,
    value: (row) => rows[key][row],
    cell: (row) => write(rows[key][row]),
  });
  return [
    text("module", "Module", (row) => job.modules[rows.module[row]].name, { header: true, long: true }),
    text("phase", "Phase", (row) => job.phases[rows.phase[row]]),
    text("kind", "Kind", (row) => job.kinds[rows.kind[row]]),
    text("op", "Op", (row) => strings[rows.op[row]], { long: true }),
    text("group", "Group", (row) => job.groups[rows.group[row]].label, { long: true }),
    text("dtype", "Type", (row) => typeText(job, row)),
    number("count", "Count", fractionText),
    number("bytes", "Bytes", bytesText),
    number("bus_bytes", "Bus bytes", bytesText),
    text("ranks", "Ranks", (row) => ranksText(job, row), { long: true }),
    text("spread", "Calls of a rank in the run", (row) => spreadText(job, row), { long: true }),
    text("issued_in", "Issued in", (row) => issuedIn(job, row), { long: true, optional: true }),
    text("label", "Label", (row) => strings[rows.label[row]], { long: true, optional: true }),
    text("setup", "Set-up", (row) => (rows.setup[row] ? "set-up" : ""), { optional: true }),
    text("compiled", "Compiled", (row) => (rows.compiled[row] ? "compiled" : ""), { optional: true }),
    text("splits", "Split sizes", (row) => splitsText(job, row), { long: true, optional: true }),
    text("members", "Members", (row) => membersText(view, row), { long: true, optional: true }),
  ];
}

function ranksText(job, row) {
  const text = rangesText(job.rankSets[job.rows.rank_set[row]]);
  return text === rangesText(job.ranks) ? "all" : text;
}

/** Returns the issuing module, or "" if it is the row's module. */
function issuedIn(job, row) {
  const name = job.strings[job.rows.issued_in[row]];
  return name === job.modules[job.rows.module[row]].name ? "" : name;
}

/** Returns how uneven the calls of the row are, and the ranks with most and least; "" without split sizes. */
function splitsText(job, row) {
  const { rows } = job;
  if (rows.imbalance_mean[row] === null) {
    return "";
  }
  const uneven = `${rows.imbalance_mean[row].toFixed(2)}x, at most ${rows.imbalance_max[row].toFixed(2)}x`;
  const [hottest, coldest] = [rows.hottest_peer[row], rows.coldest_peer[row]];
  return hottest === null ? uneven : `${uneven} (rank ${hottest} hottest, rank ${coldest} coldest)`;
}

/** Returns the modules that the row covers, and their parts of its bytes; "" if they are not known. */
function membersText({ job, choice }, row) {
  const divisor = choice.unit === "sum" ? 1 : job.divisorOf(job.rows.setup[row]);
  return (job.members.get(row) ?? []).map((member) => memberText(member, divisor)).join(", ");
}

function memberText({ name, bytes, count }, divisor) {
  const calls = count === null ? "" : ` ${fractionText(count / divisor)} ${count === divisor ? "call" : "calls"}`;
  return `${name === "" ? "padding" : name}${calls} ${bytesText(bytes / divisor)}`;
}

/** Returns the unit of the table's numbers. Set-up is in no step. */
function unitOf({ job, choice }) {
  const setup = choice.unit === "mean" && job.unit.steps > 0 ? "; set-up: per rank" : "";
  return unitText({ job, choice }) + setup;
}

export class RowTable {
  constructor() {
    this.pages = 1;
  }

  update(view) {
    if (this.view?.module.name !== view.module.name) {
      this.pages = 1;
    }
    this.view = view;
    const columns = columnsOf(view);
    const { rowsort, roworder } = view.choice;
    const column = columns.find(({ key }) => key === rowsort) ?? columns.find(({ key }) => key === "bytes");
    const rows = rowsBelow(view.job.rows, { ...view.filter, setup: true }, view.module);
    rows.sort((a, b) => compare(column.value(a), column.value(b), roworder) || a - b);
    const table = tableOf({
      name: "rows",
      caption: `Collectives of the module that is shown and of those below it; ${unitOf(view)}`,
      columns: columns.filter(({ optional, value }) => !optional || rows.some((row) => value(row) !== "")),
      rows,
      sort: column.key,
      order: roworder,
      onSort: (chosen) => this.#sortBy(chosen, column),
      pages: this.pages,
      onMore: () => {
        this.pages += 1;
        this.update(this.view);
      },
    });
    byId("rows-of").textContent = `${plural(rows.length, "row")}, ${unitOf(view)}`;
    refill(byId("rows"), rows.length > 0 ? table : h("p", { class: "muted nothing" }, "None under this filter."));
  }

  #sortBy(chosen, before) {
    this.view.set({ rowsort: chosen.key, roworder: orderAfter(chosen, before.key, this.view.choice.roworder) });
  }
}
