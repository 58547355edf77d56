// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, refill } from "./dom.js";
import { numberColumn, SortedTable, textColumn } from "./table.js";
import { bytesText, labelText, nsText, rankText, wholeText } from "./text.js";

/** The section on time: durations of collectives by kind and group, and by module. */

const kHint =
  "Running and queued: mean per collective. Exposed: sum over all ranks. A collective runs until its last rank has " +
  "joined, so it runs shortest on that rank. The rows are about all phases: the phase filter does not apply here.";

function columnsOf(job, times) {
  const duration = (key, title) => numberColumn(key, title, (row) => times[key][row], nsText);
  const bandwidth = (key, title) =>
    numberColumn(
      key,
      title,
      (row) => times[key][row],
      (value) => `${bytesText(value)}/s`,
    );
  const module = textColumn("module", "Module", (row) => job.strings[times.module[row]], { header: true });
  const what = (row) => labelText(job.strings[times.label[row]], times.setup[row]);
  const label = textColumn("label", "Label", what);
  const hasLabels = times.module?.some((_, row) => what(row) !== "");
  const kind = textColumn("kind", "Kind", (row) => job.kinds[times.kind[row]], { long: false });
  return [
    ...(times.module ? [module, ...(hasLabels ? [label] : []), kind] : [{ ...kind, header: true }]),
    textColumn("group", "Group", (row) => job.strings[times.group[row]]),
    numberColumn("count", "Count", (row) => times.count[row], wholeText),
    numberColumn("timed", "Timed", (row) => times.timed[row], wholeText),
    ...(times.queued_ns.some((value) => value !== null) ? [duration("queued_ns", "Queued")] : []),
    duration("running_ns", "Running"),
    duration("longest_ns", "Longest"),
    duration("exposed_ns", "Exposed"),
    bandwidth("algbw", "Algorithm bandwidth"),
    bandwidth("busbw", "Bus bandwidth"),
    numberColumn(
      "late_by_ns",
      "Late by",
      (row) => times.late_by_ns[row],
      (value, row) => `${nsText(value)} (${rankText(times.late_rank[row])})`,
    ),
  ];
}

/** Returns the rows that pass the filters for kind, group and module. */
function rowsOf(view, times) {
  const { job, choice, module } = view;
  return times.kind
    .map((_, row) => row)
    .filter((row) => choice.kind === "" || job.kinds[times.kind[row]] === choice.kind)
    .filter((row) => choice.group === "" || job.strings[times.group[row]] === choice.group)
    .filter((row) => !times.module || job.isWithin(job.strings[times.module[row]], module));
}

export class TimeView {
  constructor() {
    this.groups = new SortedTable("group-times", "Time by kind and process group", "exposed_ns");
    this.modules = new SortedTable("module-times", "Time by module", "exposed_ns");
  }

  update(view) {
    const { groupTimes, moduleTimes } = view.job;
    byId("times-card").hidden = groupTimes.kind.length === 0;
    const redraw = () => this.update(view);
    const element = (table, times) => table.element(columnsOf(view.job, times), rowsOf(view, times), redraw);
    refill(
      byId("times"),
      h("p", { class: "muted" }, kHint),
      h("h3", null, "By kind and process group"),
      element(this.groups, groupTimes),
      h("h3", null, "By module"),
      element(this.modules, moduleTimes),
    );
  }
}
