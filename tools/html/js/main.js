// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { filterOf, metricTitles, moduleSums } from "./amounts.js";
import { TreeChart } from "./charts/tree_chart.js";
import { Diff } from "./diff/diff.js";
import { drawDiff } from "./diff/diff_view.js";
import { byId, followTheme } from "./dom.js";
import { drawAdvice, drawFindings } from "./findings.js";
import { drawHeader } from "./header.js";
import { Job } from "./job.js";
import { embeddedDocument, follow } from "./live.js";
import { ModuleTable } from "./module_table.js";
import { NcclView } from "./nccl_view.js";
import { RankView } from "./rank_view.js";
import { RowTable } from "./row_table.js";
import { kDefaults, State } from "./state.js";
import { StepView } from "./steps/step_view.js";
import { drawSweep } from "./sweep/sweep_view.js";
import { TimeView } from "./time_view.js";
import { drawControls, drawTotals } from "./totals.js";

/**
 * The data that all views draw.
 * @typedef {Object} View
 * @property {Job} job the job in the chosen unit
 * @property {import("./state.js").Choice} choice
 * @property {import("./amounts.js").Filter} filter
 * @property {import("./job.js").Module} module the module whose subtree is shown
 * @property {Object} sums the result of moduleSums()
 * @property {(change: Object) => void} set changes fields of the choice
 */

/** The fields of the choice that affect only the tables. */
const kOfTables = ["find", "sort", "order", "rows", "empty", "rowsort", "roworder"];

class Page {
  constructor() {
    this.state = new State((choice) => this.#mend(choice));
    this.tree = new TreeChart();
    this.modules = new ModuleTable();
    this.rows = new RowTable();
    this.steps = new StepView();
    this.times = new TimeView();
    this.nccl = new NcclView();
    this.ranks = new RankView();
    this.state.listen((choice, before) => this.#change(choice, before));
  }

  /** Shows a job, or a newer state of it. The reader's choices stay. */
  show(job) {
    const unit = job.total && !this.job && !location.hash.includes("unit=") ? { unit: "sum" } : {};
    this.job = job;
    this.state.choice = this.#mend({ ...this.state.choice, ...unit });
    byId("job").hidden = false;
    drawHeader(job);
    drawFindings(job);
    drawAdvice(job);
    this.draw();
  }

  /** Resets the choices whose names this job does not have: the address may come from another job. */
  #mend(choice) {
    if (!this.job) {
      return choice;
    }
    const { job } = this;
    const known = (name, names) => (names.includes(name) ? name : "");
    return {
      ...choice,
      metric: choice.metric in metricTitles(job) ? choice.metric : kDefaults.metric,
      phase: known(choice.phase, job.phases),
      kind: known(choice.kind, job.kinds),
      group: known(
        choice.group,
        job.groups.map(({ label }) => label),
      ),
      module: job.moduleNamed(choice.module) === job.modules[0] ? "" : choice.module,
    };
  }

  #change(choice, before) {
    const changed = Object.keys(choice).filter((name) => choice[name] !== before[name]);
    if (this.job && changed.length > 0 && changed.every((name) => kOfTables.includes(name))) {
      this.#drawTables();
    } else if (changed.length > 0) {
      this.draw();
    }
  }

  #makeView() {
    const { choice } = this.state;
    const job = this.job.inUnit(choice.unit);
    const filter = filterOf(job, choice);
    /** @type {View} */
    this.view = {
      job,
      choice,
      filter,
      module: job.moduleNamed(choice.module),
      sums: moduleSums(job, filter, choice.metric),
      set: (change) => this.state.set(change),
    };
    return this.view;
  }

  #drawTables() {
    const view = this.#makeView();
    this.modules.update(view);
    this.rows.update(view);
  }

  /** Redraws all views. Does nothing before the first answer to a live page. */
  draw() {
    if (!this.job) {
      return;
    }
    const view = this.#makeView();
    drawControls(view);
    drawTotals(view);
    this.tree.update(view);
    this.steps.update(view);
    this.times.update(view);
    this.nccl.update(view);
    this.ranks.update(view);
    this.#drawTables();
  }
}

/** Shows the job of `document`; null for a page from `commtap serve`, which asks for it. */
function showJob(document) {
  const page = new Page();
  if (document === null) {
    follow((job) => page.show(job));
  } else {
    page.show(new Job(document));
  }
  followTheme(byId("theme"), () => page.draw());
}

byId("loading").remove();
const embedded = embeddedDocument();
if (embedded !== null && "changes" in embedded) {
  drawDiff(new Diff(embedded));
  followTheme(byId("theme"), () => {});
} else if (embedded !== null && "layouts" in embedded) {
  drawSweep(embedded);
  followTheme(byId("theme"), () => {});
} else {
  showJob(embedded);
}
