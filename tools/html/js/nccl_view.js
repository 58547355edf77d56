// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, refill } from "./dom.js";
import { numberColumn, SortedTable, textColumn } from "./table.js";
import { bytesText, plural, rankListText, shorten, wholeText } from "./text.js";

/** Compares collectives with the NCCL calls that they made, and lists the calls that no collective makes. */

const kHint =
  "Sums over all ranks, phases and kinds. The group filter applies to the first table, the module to the second.";

const kVersionLength = 40;

/** Returns the first line of the section. It names ranks only if they use different NCCL versions. */
function headOf({ versions, communicators, processes }) {
  const texts = versions.map(({ version, ranks }) => {
    const where = versions.length > 1 ? ` (${rankListText(ranks)})` : "";
    return `${version === "" ? "of unknown version" : shorten(version, kVersionLength)}${where}`;
  });
  return `NCCL ${texts.join(", ")}: ${plural(communicators, "communicator")} in ${wholeText(processes)} processes`;
}

/** Returns the columns that both tables have. */
function calledColumns(job, calls) {
  const name = (row) => (calls.function[row] === null ? "not called" : job.strings[calls.function[row]]);
  const failed = (count) => (count === 0 ? "" : wholeText(count));
  return [
    textColumn("function", "NCCL", name),
    numberColumn("count", "Calls", (row) => calls.count[row], wholeText),
    numberColumn("failed", "Failed", (row) => calls.failed[row], failed),
    numberColumn("bytes", "NCCL bytes", (row) => calls.bytes[row], bytesText),
  ];
}

function comparedColumns(job, compared) {
  return [
    textColumn("op", "Op", (row) => job.strings[compared.op[row]], { header: true }),
    textColumn("group", "Group", (row) => job.strings[compared.group[row]]),
    numberColumn("asked", "Count", (row) => compared.asked[row], wholeText),
    numberColumn("asked_bytes", "Bytes", (row) => compared.asked_bytes[row], bytesText),
    ...calledColumns(job, compared),
  ];
}

function besideColumns(job, beside) {
  return [
    textColumn("module", "Module", (row) => job.strings[beside.module[row]], { header: true }),
    ...calledColumns(job, beside),
  ];
}

function comparedRows({ job, choice }, { group }) {
  return [...group.keys()].filter((row) => choice.group === "" || job.strings[group[row]] === choice.group);
}

function besideRows(view, { module }) {
  return [...module.keys()].filter((row) => view.job.isWithin(view.job.strings[module[row]], view.module));
}

export class NcclView {
  constructor() {
    this.compared = new SortedTable("nccl-compared", "Collectives and their NCCL calls", "asked_bytes");
    this.beside = new SortedTable("nccl-beside", "NCCL calls that no collective makes", "bytes");
  }

  update(view) {
    const { job } = view;
    byId("nccl-card").hidden = job.nccl === null;
    if (job.nccl === null) {
      return;
    }
    const { compared, beside } = job.nccl;
    const redraw = () => this.update(view);
    const besideTable = () => this.beside.element(besideColumns(job, beside), besideRows(view, beside), redraw);
    refill(
      byId("nccl"),
      h("p", null, headOf(job.nccl)),
      h("p", { class: "muted" }, kHint),
      h("h3", null, "Collectives and the NCCL calls that they made"),
      this.compared.element(comparedColumns(job, compared), comparedRows(view, compared), redraw),
      beside.module.length > 0 ? h("h3", null, "NCCL calls that no collective makes, by module") : null,
      beside.module.length > 0 ? besideTable() : null,
    );
  }
}
