// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, refill } from "./dom.js";
import { segments } from "./segments.js";
import { StepChart } from "./step_chart.js";
import { amountPicture, timePicture } from "./step_pictures.js";
import { amountText, ranksText, stepsText } from "./step_text.js";
import { kindMeans, stretchesOf, timeOf } from "./steps.js";
import { tableOf } from "./table.js";
import { byteUnit, msText, rankText } from "./text.js";

/** Steps: how long each took, what a rank communicated in it, and the same as a table. */

const kScales = { value: "linear", log: "logarithmic" };
const kHint = "All phases and modules together: the choices of a phase and a module do not narrow this down.";
const kNoBusBytes = " Bus bytes are not counted by step: these are bytes.";

function columnsOf(view, rows, metric) {
  const time = (key, title, value) => ({
    key,
    title,
    number: true,
    fixed: true,
    cell: (row) => (row.time === null ? "" : value(row.time)),
  });
  const amount = (key, title, value) => ({
    key,
    title,
    number: true,
    fixed: true,
    cell: (row) => amountText(metric, value(row)),
  });
  const kinds = view.job.kinds.map((name, kind) => ({ name, kind }));
  return [
    { key: "steps", title: "Steps", header: true, fixed: true, cell: ({ stretch }) => stepsText(stretch) },
    { key: "ranks", title: "Of", fixed: true, cell: ({ stretch }) => ranksText(view.job, stretch) },
    time("mean", "Time a step", ({ mean }) => msText(mean)),
    time("least", "Fastest rank", ({ least }) => msText(least)),
    time("most", "Slowest rank", ({ most, slowest }) => `${msText(most)} (${rankText(slowest)})`),
    amount("total", "All kinds", ({ total }) => total),
    ...kinds
      .filter(({ kind }) => rows.some((row) => row.kinds[kind] > 0))
      .map(({ name, kind }) => amount(name, name, (row) => row.kinds[kind])),
  ];
}

export class StepView {
  constructor() {
    this.pages = 1;
    this.tools = h("div", { class: "bar" });
    this.timeTitle = h("h3", null, "Time a step in ms: the mean of ranks, and from the fastest to the slowest");
    this.time = new StepChart("Time of steps");
    this.amountTitle = h("h3", null);
    this.amounts = new StepChart("Communication of steps");
    this.nothing = h("p", { class: "muted nothing" }, "No collectives in these steps under this filter.");
    this.table = h("div", null);
    byId("steps").replaceChildren(
      this.tools,
      this.timeTitle,
      this.time.element,
      this.amountTitle,
      this.amounts.element,
      this.nothing,
      h("details", null, h("summary", null, "The same as a table"), this.table),
    );
  }

  update(view) {
    this.view = view;
    if (this.job !== view.job) {
      this.job = view.job;
      this.stretches = stretchesOf(view.job);
    }
    byId("steps-card").hidden = this.stretches.length === 0;
    if (this.stretches.length > 0) {
      this.#draw();
    }
  }

  #draw() {
    const { view, stretches } = this;
    const { job, choice, filter } = view;
    const metric = choice.metric === "count" ? "count" : "bytes";
    const means = kindMeans(job, stretches, filter, metric);
    const rows = stretches.map((stretch, i) => ({
      stretch,
      time: timeOf(job, stretch),
      kinds: means[i],
      total: means[i].reduce((a, b) => a + b, 0),
    }));
    const hint = choice.metric === "bus_bytes" ? kHint + kNoBusBytes : kHint;
    const timed = rows.some(({ time }) => time !== null);
    const axis = timed ? segments(view, "timescale", "Time axis", kScales) : null;
    refill(this.tools, axis, h("p", { class: "muted hint" }, hint));
    this.#drawTime(rows, timed);
    this.#drawAmounts(rows, metric);
    this.#drawTable(rows, metric);
  }

  #drawTime(rows, timed) {
    this.timeTitle.hidden = !timed;
    this.time.element.hidden = !timed;
    if (timed) {
      this.time.update(timePicture(this.view, rows));
    }
  }

  #drawAmounts(rows, metric) {
    const most = Math.max(...rows.map(({ total }) => total));
    const unit = metric === "count" ? { size: 1, name: "Collectives" } : byteUnit(most);
    this.amountTitle.textContent = `${unit.name} a step and rank: the mean of ranks, by kind`;
    this.amounts.element.hidden = most === 0;
    this.nothing.hidden = most > 0;
    if (most > 0) {
      this.amounts.update(amountPicture(this.view, rows, metric, unit.size));
    }
  }

  #drawTable(rows, metric) {
    const table = tableOf({
      name: "steps",
      caption: `Time and ${metric === "count" ? "collectives" : "bytes"} of a rank in a step, in the mean of ranks`,
      columns: columnsOf(this.view, rows, metric),
      rows,
      pages: this.pages,
      onMore: () => {
        this.pages += 1;
        this.update(this.view);
      },
    });
    refill(this.table, table);
  }
}
