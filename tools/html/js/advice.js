// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, byId, h, named, refill } from "./dom.js";
import { bytesText, fractionText, labelText, plural, wholeText } from "./text.js";

/** The savings of communication that the rows prove: the text of `commtap advise`. */

const kNameLength = 100;

function stakeText({ group, calls, bytes, row_count: rows }) {
  if (rows === 0) {
    return "";
  }
  const ofCalls = calls > 0 ? `${fractionText(calls)} calls and ` : "";
  return `: ${ofCalls}${bytesText(bytes)} per rank and step${group === "" ? "" : `, group ${group}`}`;
}

function rowItem(job, row) {
  const { rows } = job;
  const facts = [job.kinds[rows.kind[row]], job.phases[rows.phase[row]], plural(rows.count[row], "call")];
  const module = breakable(job.modules[rows.module[row]].name, kNameLength);
  const what = labelText(job.strings[rows.label[row]], rows.setup[row]);
  return h(
    "li",
    null,
    module,
    what === "" ? "" : named(` ${what}`, kNameLength),
    ` (${facts.join(", ")}, ${bytesText(rows.bytes[row])} over all ranks)`,
  );
}

function panelOf(job, advice) {
  const rest = advice.row_count - advice.rows.length;
  const more = rest > 0 ? h("li", { class: "muted" }, `… and ${plural(rest, "row")} more`) : null;
  const key = `advice-${advice.rule}-${advice.group}`;
  return h(
    "details",
    { class: "finding note", "data-key": key },
    h("summary", { "data-key": `${key}-summary` }, advice.rule, named(stakeText(advice), kNameLength)),
    h("p", null, advice.text, " ", h("span", { class: "muted" }, advice.link)),
    h("ul", null, ...advice.rows.map((row) => rowItem(job, row)), more),
  );
}

/** Shows the section if there is advice. */
export function drawAdvice(job) {
  byId("advice-card").hidden = job.advice.length === 0;
  byId("advice-of").textContent = `${wholeText(job.advice.length)} found; each has the rows that prove it`;
  refill(byId("advice"), ...job.advice.map((advice) => panelOf(job, advice)));
}
