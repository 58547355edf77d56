// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, byId, h, refill } from "./dom.js";
import { compare, orderAfter, tableOf } from "./table.js";
import { bytesText, nsText, rankText, shorten, wholeText } from "./text.js";

/** How long collectives ran and were waited for: of all modules by kind and group, and of each module. */

const kNameLength = 100;
const kHint =
  "Running and queued: mean of one collective. Blocked: added up over all ranks. A collective runs until the last rank " +
  "has come: on that rank it runs shortest. All phases together: the choice of a phase does not narrow this down.";

function columnsOf(job, times) {
  const text = (key, title, value, extra) => ({
    key,
    title,
    value,
    cell: (row) => breakable(shorten(value(row), kNameLength)),
    long: true,
    ...extra,
  });
  const number = (key, title, value, write) => ({
    key,
    title,
    number: true,
    value: (row) => value(row) ?? 0,
    cell: (row) => (value(row) === null ? "" : write(value(row), row)),
  });
  const duration = (key, title) => number(key, title, (row) => times[key][row], nsText);
  const bandwidth = (key, title) =>
    number(
      key,
      title,
      (row) => times[key][row],
      (value) => `${bytesText(value)}/s`,
    );
  const module = text("module", "Module", (row) => job.strings[times.module[row]], { header: true });
  const kind = text("kind", "Kind", (row) => job.kinds[times.kind[row]], { long: false });
  return [
    ...(times.module ? [module, kind] : [{ ...kind, header: true }]),
    text("group", "Group", (row) => job.strings[times.group[row]]),
    number("count", "Count", (row) => times.count[row], wholeText),
    number("timed", "Timed", (row) => times.timed[row], wholeText),
    duration("queued_ns", "Queued"),
    duration("running_ns", "Running"),
    duration("longest_ns", "Longest"),
    duration("blocked_ns", "Blocked"),
    bandwidth("algbw", "Algorithm bandwidth"),
    bandwidth("busbw", "Bus bandwidth"),
    number(
      "late_by_ns",
      "Late by",
      (row) => times.late_by_ns[row],
      (value, row) => `${nsText(value)} (${rankText(times.late_rank[row])})`,
    ),
  ];
}

/** The rows that the choices of kind, group and module leave. */
function rowsOf(view, times) {
  const { job, choice, module } = view;
  const below = (name) => module === job.modules[0] || name === module.name || name.startsWith(`${module.name}.`);
  return times.kind
    .map((_, row) => row)
    .filter((row) => choice.kind === "" || job.kinds[times.kind[row]] === choice.kind)
    .filter((row) => choice.group === "" || job.strings[times.group[row]] === choice.group)
    .filter((row) => !times.module || below(job.strings[times.module[row]]));
}

class TimeTable {
  constructor(name, caption) {
    this.name = name;
    this.caption = caption;
    this.pages = 1;
    this.sort = "blocked_ns";
    this.order = "down";
  }

  element(view, times, redraw) {
    const columns = columnsOf(view.job, times);
    const column = columns.find(({ key }) => key === this.sort);
    const rows = rowsOf(view, times);
    if (rows.length === 0) {
      return h("p", { class: "muted nothing" }, "None under this filter.");
    }
    rows.sort((a, b) => compare(column.value(a), column.value(b), this.order) || a - b);
    return tableOf({
      name: this.name,
      caption: this.caption,
      columns,
      rows,
      sort: this.sort,
      order: this.order,
      onSort: (chosen) => {
        this.order = orderAfter(chosen, this.sort, this.order);
        this.sort = chosen.key;
        redraw();
      },
      pages: this.pages,
      onMore: () => {
        this.pages += 1;
        redraw();
      },
    });
  }
}

export class TimeView {
  constructor() {
    this.groups = new TimeTable("group-times", "Time by kind and process group");
    this.modules = new TimeTable("module-times", "Time by module");
  }

  update(view) {
    const { groupTimes, moduleTimes } = view.job;
    byId("times-card").hidden = groupTimes.kind.length === 0;
    const redraw = () => this.update(view);
    refill(
      byId("times"),
      h("p", { class: "muted" }, kHint),
      h("h3", null, "By kind and process group"),
      this.groups.element(view, groupTimes, redraw),
      h("h3", null, "By module"),
      this.modules.element(view, moduleTimes, redraw),
    );
  }
}
