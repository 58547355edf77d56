// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { metricTitles } from "./amounts.js";
import { byId, h, refill, titleOf } from "./dom.js";
import { segments } from "./segments.js";
import { kDefaults } from "./state.js";
import { meanUnit, shorten } from "./text.js";

/** The controls for the measure and the filters. */

const kNameLength = 60;

function select(view, name, title, values) {
  const options = values.map((value) =>
    h("option", { value, title: titleOf(value, kNameLength) }, shorten(value, kNameLength)),
  );
  const element = h(
    "select",
    { id: `choose-${name}`, "data-key": `choose-${name}`, onchange: () => view.set({ [name]: element.value }) },
    h("option", { value: "" }, "all"),
    ...options,
  );
  element.value = view.choice[name];
  return h("label", { class: view.choice[name] === "" ? null : "chosen" }, title, element);
}

function usedNames(names, positions) {
  const used = new Set(positions);
  return names.filter((_, position) => used.has(position));
}

/** The state that the controls show. They are redrawn only when it changes: a redraw would close an open list. */
let shown = "";

export function drawControls(view) {
  const { job, choice } = view;
  const phases = usedNames(job.phases, job.rows.phase);
  const kinds = usedNames(job.kinds, job.rows.kind);
  const groups = job.groups.map((group) => group.label);
  const { metric, unit, phase, kind, group } = choice;
  const metrics = metricTitles(job);
  const units = { mean: meanUnit(job), sum: "sum" };
  const now = JSON.stringify([metrics, units, phases, kinds, groups, metric, unit, phase, kind, group]);
  if (now === shown) {
    return;
  }
  shown = now;
  refill(
    byId("controls"),
    segments(view, "metric", "Measure", metrics),
    segments(view, "unit", "Unit", units),
    select(view, "phase", "Phase", phases),
    select(view, "kind", "Kind", kinds),
    select(view, "group", "Group", groups),
    h("button", { type: "button", "data-key": "reset", onclick: () => view.set(kDefaults) }, "Show all"),
  );
}
