// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, byId, h, named, refill } from "./dom.js";
import { bytesText, labelText, plural, wholeText } from "./text.js";

/** The savings of communication that the rows prove: the text of `commtap advise`. */

const kNameLength = 100;
const kStakeLength = 300; // a sentence, of which only the group's name may be long

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
  const rows = h(
    "details",
    { "data-key": key },
    h("summary", { "data-key": `${key}-summary` }, `${plural(advice.row_count, "row")} that prove it`),
    h("ul", null, ...advice.rows.map((row) => rowItem(job, row)), more),
  );
  const stake = advice.stake === "" ? "" : `: ${advice.stake}`;
  return h(
    "div",
    { class: "finding note" },
    h("p", null, h("strong", { class: "rule" }, advice.rule), named(stake, kStakeLength)),
    h("p", null, advice.text, " ", h("span", { class: "muted" }, advice.link)),
    advice.row_count > 0 ? rows : null,
  );
}

/** Returns the advice after the first, which is folded. */
function restOf(panels) {
  const summary = h("summary", { "data-key": "advice-rest-summary" }, `${wholeText(panels.length)} more`);
  return h("details", { "data-key": "advice-rest" }, summary, h("div", { class: "findings" }, ...panels));
}

/** Shows the section if there is advice. */
export function drawAdvice(job) {
  byId("advice-card").hidden = job.advice.length === 0;
  byId("advice-of").textContent = `${wholeText(job.advice.length)} found; each has the rows that prove it`;
  const [first, ...rest] = job.advice.map((advice) => panelOf(job, advice));
  refill(byId("advice"), first, rest.length > 0 ? restOf(rest) : null);
}
