// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { facetSums, metricTitles } from "./amounts.js";
import { kindColor } from "./charts/chart.js";
import { byId, h, refill, segments, titleOf } from "./dom.js";
import { kDefaults } from "./state.js";
import { meanUnit, metricText, plural, processesText, shareText, shorten, wholeText } from "./text.js";

/** The chosen module's totals, and their parts by kind, phase and group. A click on a line toggles its filter. */

const kMostLines = 12;

function tile(metric, title, value) {
  const exact = metric.endsWith("bytes") ? `${wholeText(value)} bytes` : null;
  return h(
    "div",
    { class: "tile" },
    h("span", { class: "muted" }, metric === "count" ? "Collectives" : title),
    h("span", { class: "figure", title: exact }, metricText(metric, value)),
  );
}

function facetLine(view, facet, name, color, value, whole) {
  const pressed = view.choice[facet] === name;
  const fill = h("span", { class: "fill" });
  fill.style.width = `${(100 * value) / whole}%`;
  const swatch = h("span", { class: "swatch" });
  if (color) {
    fill.style.background = color;
    swatch.style.background = color;
  }
  return h(
    "li",
    null,
    h(
      "button",
      {
        type: "button",
        class: "facet",
        "aria-pressed": `${pressed}`,
        "data-key": `${facet}-${name}`,
        onclick: () => view.set({ [facet]: pressed ? "" : name }),
      },
      h(
        "span",
        { class: "name", title: name },
        color ? swatch : null,
        h("span", { class: "cut" }, h("bdi", { dir: "ltr" }, name)),
      ),
      h("span", { class: "number" }, metricText(view.choice.metric, value)),
      h("span", { class: "share" }, shareText(value, whole)),
      h("span", { class: "track", "aria-hidden": "true" }, fill),
    ),
  );
}

function facetCard(view, facet, title, names, sums, colorOf) {
  const values = sums[facet][view.choice.metric];
  const counts = view.choice.metric === "exposed_ns" ? values : sums[facet].count;
  const whole = values.reduce((a, b) => a + b, 0);
  const present = names
    .map((name, i) => ({ name, value: values[i], count: counts[i] }))
    .filter((line) => line.count > 0)
    .sort((a, b) => b.value - a.value);
  const lines = present.slice(0, kMostLines);
  const rest = present.length - lines.length;
  const isUntimed = facet === "phase" && view.choice.metric === "exposed_ns";
  return h(
    "div",
    { class: "facets" },
    h("h3", null, title),
    present.length === 0 ? h("p", { class: "muted" }, isUntimed ? "Times are not known by phase." : "none") : null,
    h(
      "ul",
      null,
      ...lines.map(({ name, value }) => facetLine(view, facet, name, colorOf?.(name), value, whole)),
      rest > 0 ? h("li", { class: "muted" }, `… and ${wholeText(rest)} more: use the filter above`) : null,
    ),
  );
}

/** Returns the unit of the totals: "Sum over 8 ranks", or what `commtap show` says, with set-up apart. */
function unitOf({ job, choice }) {
  if (choice.unit === "sum") {
    return `Sum over ${job.ranks.length > 0 ? plural(job.rankCount, "rank") : processesText(job.processCount)}`;
  }
  return [job.unit.text, job.unit.setup].filter((text) => text !== "").join("; ");
}

export function drawTotals(view) {
  const { job } = view;
  byId("totals-of").textContent = unitOf(view);
  const sums = facetSums(job, view.filter, view.module);
  const groups = job.groups.map((group) => group.label);
  const tiles = Object.entries(metricTitles(job)).map(([name, title]) => tile(name, title, sums.all[name][0]));
  refill(
    byId("totals"),
    h("div", { class: "tiles" }, ...tiles),
    facetCard(view, "kind", "By kind", job.kinds, sums, kindColor),
    facetCard(view, "phase", "By phase", job.phases, sums),
    facetCard(view, "group", "By process group", groups, sums),
  );
}

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
