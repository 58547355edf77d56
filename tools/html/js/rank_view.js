// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { metricTitles } from "./amounts.js";
import { differenceText, HeatMap } from "./charts/heat_map.js";
import { byId, h, refill, segments } from "./dom.js";
import { kindSpreads } from "./ranks.js";
import { tableOf } from "./table.js";
import { metricText, plural, processesText } from "./text.js";

/** The section on ranks: the heat map and a table with the same data. */

const kHeats = { value: "relative to the largest rank", difference: "difference from the median" };

const kHint =
  "Sums of each rank over the whole run, set-up included, and over all phases, groups and modules: the filters above do " +
  "not apply here.";
const kNoTimes = " Times are not known by rank: these are bytes.";
const kAmounts = { count: "number of collectives", bytes: "bytes", bus_bytes: "bus bytes" };

/** Returns the sentence that replaces the heat map if all its cells of a kind would have one colour. */
function equalText({ job, choice }) {
  const isRanked = job.ranks.length > 0;
  if (job.processCount === 1) {
    return `Only one ${isRanked ? "rank" : "process"}: there is no other to compare it with.`;
  }
  const all = isRanked ? plural(job.rankCount, "rank") : processesText(job.processCount);
  return `All ${all} have the same ${kAmounts[choice.metric]} of each kind.`;
}

function scale(view) {
  const [from, to] = view.choice.heat === "value" ? ["none", "most"] : ["less", "more"];
  return h("p", { class: "scale muted" }, from, h("span", { class: `ramp ${view.choice.heat}` }), to);
}

function differentText(spread) {
  return spread.different === 0 ? "none" : plural(spread.different, "rank");
}

function spreadTable(view, spreads) {
  const { job, choice } = view;
  const value = (process) => (spread) =>
    `${metricText(choice.metric, spread.values[spread[process]])} (${job.processName(spread[process])})`;
  return tableOf({
    name: "ranks",
    caption: `${metricTitles(job)[choice.metric]} per rank, by kind`,
    columns: [
      { key: "kind", title: "Kind", header: true, fixed: true, cell: ({ kind }) => job.kinds[kind] },
      { key: "least", title: "Least", number: true, fixed: true, cell: value("least") },
      {
        key: "median",
        title: "Median",
        number: true,
        fixed: true,
        cell: ({ median }) => metricText(choice.metric, median),
      },
      { key: "most", title: "Most", number: true, fixed: true, cell: value("most") },
      {
        key: "which",
        title: "Most, compared",
        fixed: true,
        cell: (spread) => differenceText(spread, spread.values[spread.most]),
      },
      { key: "different", title: "Off the median", number: true, fixed: true, cell: (spread) => differentText(spread) },
    ],
    rows: spreads,
    pages: 1,
  });
}

export class RankView {
  constructor() {
    this.heat = new HeatMap();
    this.tools = h("div", { class: "bar" });
    this.words = h("div", null);
    byId("ranks").replaceChildren(this.tools, this.heat.element, this.words);
  }

  update(page) {
    const isTime = page.choice.metric === "exposed_ns";
    const view = isTime ? { ...page, choice: { ...page.choice, metric: "bytes" } } : page;
    const spreads = kindSpreads(view.job, view.choice.metric);
    const differ = spreads.some(({ different }) => different > 0);
    const hint = h("p", { class: "muted hint" }, isTime ? kHint + kNoTimes : kHint);
    if (differ) {
      refill(this.tools, segments(view, "heat", "Colour", kHeats), scale(view), hint);
    } else {
      refill(this.tools, spreads.length > 0 ? h("p", null, equalText(view)) : null, hint);
    }
    this.heat.element.hidden = !differ;
    if (differ) {
      this.heat.update(view, spreads);
    }
    refill(this.words, spreads.length > 0 ? spreadTable(view, spreads) : h("p", { class: "muted" }, "No collectives."));
  }
}
