// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, refill } from "../dom.js";
import { segments } from "../segments.js";
import { StepChart } from "./step_chart.js";
import { amountPicture, timePicture } from "./step_pictures.js";
import { ranksText, stepsText } from "./step_text.js";
import { kindMeans, stretchesOf, timeOf } from "./steps.js";
import { tableOf } from "../table.js";
import { byteUnit, metricText, msText, rankText, wholeText } from "../text.js";

/** The section on steps: charts of the duration and the communication of each step, and a table with the same data. */

const kScales = { value: "linear", log: "logarithmic" };
const kHint = "Sums over all phases and modules: the filters for phase and module do not apply here.";
const kMostTorn = 4; // steps that the sentence on warm-up names
const kAmounts = { count: "collectives", bytes: "bytes", exposed_ns: "exposed time" };
const kNoBusBytes = " Reports have no bus bytes per step: these are bytes.";

/** Returns the sentence on the columns that are higher than the axis. */
function tornText(torn) {
  const texts = torn.slice(0, kMostTorn).map(({ stretch, time }) => `${stepsText(stretch)} (${msText(time.mean)})`);
  const rest = torn.length > kMostTorn ? ` and ${wholeText(torn.length - kMostTorn)} more` : "";
  return `The job warms up: the axis ends below ${texts.join(", ")}${rest}.`;
}

/** Returns the unit of the axis: its name, and its size in the unit of the metric. */
function unitOf(metric, most) {
  const units = { count: { size: 1, name: "Collectives" }, exposed_ns: { size: 1e6, name: "Exposed ms" } };
  return units[metric] ?? byteUnit(most);
}

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
    cell: (row) => metricText(metric, value(row)),
  });
  const kinds = view.job.kinds.map((name, kind) => ({ name, kind }));
  return [
    { key: "steps", title: "Steps", header: true, fixed: true, cell: ({ stretch }) => stepsText(stretch) },
    { key: "ranks", title: "Ranks", fixed: true, cell: ({ stretch }) => ranksText(view.job, stretch) },
    time("mean", "Time per step", ({ mean }) => msText(mean)),
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
    this.timeTitle = h("h3", null, "Time per step in ms: mean over ranks, and range from fastest to slowest");
    this.torn = h("p", { class: "muted hint" });
    this.time = new StepChart("Time of steps");
    this.amountTitle = h("h3", null);
    this.amounts = new StepChart("Communication of steps");
    this.nothing = h("p", { class: "muted nothing" }, "No collectives in these steps match the filters.");
    this.table = h("div", null);
    byId("steps").replaceChildren(
      this.tools,
      this.timeTitle,
      this.torn,
      this.time.element,
      this.amountTitle,
      this.amounts.element,
      this.nothing,
      h("details", null, h("summary", null, "Show as a table"), this.table),
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
    const metric = choice.metric === "bus_bytes" ? "bytes" : choice.metric;
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
    this.torn.hidden = true;
    if (timed) {
      const picture = timePicture(this.view, rows);
      this.torn.hidden = picture.torn.length === 0;
      this.torn.textContent = tornText(picture.torn);
      this.time.update(picture);
    }
  }

  #drawAmounts(rows, metric) {
    const most = Math.max(...rows.map(({ total }) => total));
    const unit = unitOf(metric, most);
    this.amountTitle.textContent = `${unit.name} per step and rank: mean over ranks, by kind`;
    this.amounts.element.hidden = most === 0;
    this.nothing.hidden = most > 0;
    if (most > 0) {
      this.amounts.update(amountPicture(this.view, rows, metric, unit.size));
    }
  }

  #drawTable(rows, metric) {
    const table = tableOf({
      name: "steps",
      caption: `Time and ${kAmounts[metric]} per rank and step, as means over ranks`,
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
