// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { breakable, byId, h, named, refill } from "./dom.js";
import { sizeOf } from "./job.js";
import {
  activityTime,
  bytesText,
  labelText,
  plural,
  rangesText,
  rankListText,
  shorten,
  timeText,
  wholeText,
} from "./text.js";

/** The findings above all numbers: ranks that disagree, are missing or were killed, and entries of `not_seen`. */

const kMostShown = 100;
const kNameLength = 160;

const kWhat = {
  order: "different collectives at the same position",
  count: "different numbers of calls",
  bytes: "different payload",
  module: "equal numbers of calls, for different modules or in different phases",
  stopped: "killed after different numbers of calls",
  unmatched: "sent but not received",
};

/**
 * @typedef {Object} Finding
 * @property {string} key unique in the page, and stable across redraws
 * @property {"bad"|"warn"|"note"} level
 * @property {string} title
 * @property {Node} body
 * @property {boolean} [open]
 */

function list(items) {
  const shown = items.slice(0, kMostShown).map((item) => h("li", null, item));
  if (items.length > kMostShown) {
    shown.push(h("li", { class: "muted" }, `… and ${wholeText(items.length - kMostShown)} more`));
  }
  return h("ul", null, ...shown);
}

function valueText(item, value, position) {
  const who = item.what === "unmatched" ? ["sent", "received"][position] : rankListText(value.ranks);
  const bytes = value.bytes === null ? "" : `, ${bytesText(value.bytes)}`;
  if (item.what === "order") {
    return `${who}: ${value.kind} for ${shorten(value.module, kNameLength)}${bytes}${value.facts}`;
  }
  return `${who}: ${plural(value.count, "call")}${bytes}`;
}

function disagreement(job, item) {
  const group = job.groups[item.group];
  const number = item.what === "order" ? ` ${wholeText(item.sequence)}` : "";
  const where = item.module === "" ? number : ` for ${shorten(item.module, kNameLength)} (${item.phase})`;
  return h(
    "div",
    { class: "disagreement" },
    h("p", null, h("strong", null, `${item.kind}${where}: ${kWhat[item.what]}`)),
    h(
      "p",
      { class: "muted" },
      [item.op, `group ${shorten(group.label, kNameLength)} of ranks ${rangesText(item.members)}`]
        .filter(Boolean)
        .join(", "),
    ),
    h("ul", null, ...item.values.slice(0, 8).map((value, i) => h("li", null, valueText(item, value, i)))),
  );
}

const kSerious = {
  key: "serious",
  level: "bad",
  title: "Ranks disagree",
  meaning:
    "Ranks of one process group did not issue matching collectives: a hang or a bug, or ranks failed or were killed.",
  open: true,
};

/** Replaces kSerious while the job runs: running ranks always differ briefly. */
const kAhead = {
  key: "ahead",
  level: "note",
  title: "Some ranks are ahead",
  meaning: "The job is running: the ranks behind have yet to issue what the ranks ahead have issued.",
};

const kMild = {
  key: "mild",
  level: "note",
  title: "Ranks agree on the number of calls, not on the module",
  meaning: "Ranks of one process group made equal numbers of calls, for different modules or in different phases.",
};

const kStopped = {
  key: "stopped",
  level: "note",
  title: "Ranks were killed at different points",
  meaning: "The killed ranks had issued the first part of the same sequence of collectives as the other ranks.",
};

/** @returns {Finding[]} one for the disagreements that may hang a job, one for those that cannot */
function disagreements(job) {
  const mild = job.disagreements.filter(({ what }) => what === "module");
  const stopped = job.disagreements.filter(({ what }) => what === "stopped");
  const serious = job.disagreements.filter(({ what }) => what !== "module" && what !== "stopped");
  const hidden = job.disagreementsFound - job.disagreements.length;
  return [
    [job.runs ? kAhead : kSerious, serious],
    [kMild, mild],
    [kStopped, stopped],
  ]
    .filter(([, items]) => items.length > 0)
    .map(([{ title, meaning, ...finding }, items]) => {
      const more = hidden > 0 ? `, the worst of ${wholeText(job.disagreementsFound)}` : "";
      const found = list(items.map((item) => disagreement(job, item)));
      const body = h("div", null, h("p", null, meaning), found);
      return { ...finding, title: `${title}: ${plural(items.length, "difference")}${more}`, body };
    });
}

/** @returns {Finding[]} what `commtap verify` finds wrong or suspect */
function training({ verify }) {
  if (verify === null || verify.found.length === 0) {
    return [];
  }
  const body = list(verify.found.map((lines) => h("div", null, ...lines.map((line) => h("p", null, line)))));
  const level = verify.status === "wrong" ? "bad" : "warn";
  return [{ key: "training", level, title: `The training: ${verify.line}`, body }];
}

function missing(job) {
  return {
    key: "missing",
    level: "bad",
    title: `${plural(sizeOf(job.missingRanks), "rank")} without a report: ${rangesText(job.missingRanks)}`,
    body: h("p", null, "No number on this page includes these ranks."),
  };
}

/** Returns how a process ended, "" if it ended well: "ended with status 1", or "ended by _exit". */
function endText({ strings, processes }, index) {
  const end = strings[processes.end[index]];
  return end === "" && processes.exit[index] === "_exit" ? "ended by _exit" : end;
}

/** Returns whether the end of a process harms neither the job nor its numbers. */
function isHarmless({ exit, exit_status }, index) {
  return exit[index] === "after_work" || (exit[index] === "_exit" && !(exit_status[index] > 0));
}

/** Returns ", last activity 2026-11-20 21:40:10 UTC". */
function activityText(job, index) {
  return `, last activity ${timeText(activityTime(job.processes.last_activity_at[index]))}`;
}

function ends(job) {
  const byEnd = new Map();
  for (let i = 0; i < job.processCount; i += 1) {
    const end = endText(job, i);
    if (end !== "" && !(job.live && job.processes.exit[i] === "running")) {
      byEnd.set(end, byEnd.get(end) ?? []);
      byEnd.get(end).push(i);
    }
  }
  return [...byEnd].map(([end, indices]) => ({
    key: `exit-${end}`,
    level: isHarmless(job.processes, indices[0]) ? "note" : "warn",
    title: `${indices.length === 1 ? job.processName(indices[0]) : `${wholeText(indices.length)} processes`} ${end}`,
    body: list(indices.map((index) => `${job.processName(index)}${activityText(job, index)}`)),
  }));
}

function notSeen(job) {
  const items = job.notSeen.map((entry) => {
    const on = entry.ranks.length > 0 ? `, on ${rankListText(entry.ranks)}` : "";
    const first = entry.detail === "" ? "" : ` First: ${shorten(entry.detail, kNameLength)}.`;
    return h(
      "span",
      null,
      h("strong", null, `${entry.reason} (${wholeText(entry.count)}${on}): `),
      entry.meaning,
      first,
    );
  });
  const title = `Not seen: ${plural(items.length, "reason")}`;
  return { key: "not-seen", level: "warn", title, body: list(items), open: true };
}

/** @returns {Finding[]} the most severe first */
function findingsOf(job) {
  const found = [...training(job), ...disagreements(job)];
  if (job.missingRanks.length > 0) {
    found.push(missing(job));
  }
  found.push(...ends(job));
  for (const title of job.facts.late ?? []) {
    found.push({ key: title, level: "warn", title, body: h("p", null, "The others wait for it there.") });
  }
  if (job.notSeen.length > 0) {
    found.push(notSeen(job));
  }
  if (job.problems.length > 0) {
    const title = `${plural(job.problems.length, "file")} could not be read`;
    const lines = job.problems.map((line) => shorten(line, 2 * kNameLength));
    found.push({ key: "problems", level: "warn", title, body: list(lines) });
  }
  if (job.facts.other_runs > 0) {
    const title = `${plural(job.facts.other_runs, "other run")} in the same folder left out`;
    found.push({ key: "other-runs", level: "note", title, body: h("p", null, "The newest run is shown.") });
  }
  return found;
}

const kFine = " No rank is missing, the ranks agree with each other, and no data is missing from the reports.";
const kFineHere = " The ranks of this node agree with each other, and no data is missing from the reports.";
const kLevelText = { bad: "Problem", warn: "Warning", note: "Note" };

/** Returns a finding as an element that opens. @param {Finding} finding */
export function panel(finding) {
  const badge = h("span", { class: "badge" }, kLevelText[finding.level]);
  const summary = h("summary", { "data-key": `finding-${finding.key}` }, badge, " ", h("span", null, finding.title));
  const key = `details-${finding.key}`;
  const attributes = { class: `finding ${finding.level}`, "data-key": key, open: finding.open === true };
  return h("details", attributes, summary, finding.body);
}

/** Returns the verdict of `commtap why` on a run that ended badly; null if there is none. */
function whyLine({ why }) {
  return why === "" ? null : h("p", { class: "finding bad" }, h("span", { class: "badge" }, "Why"), ` ${why}`);
}

export function drawFindings(job) {
  const found = findingsOf(job);
  const fine = h("p", { class: "finding good" }, h("span", { class: "badge" }, "Good"), job.live ? kFineHere : kFine);
  refill(byId("findings"), whyLine(job), ...(found.length > 0 ? found.map(panel) : [fine]));
}

/** The savings of communication that the rows prove: the text of `commtap advise`. */

const kAdviceNameLength = 100;
const kStakeLength = 300; // a sentence, of which only the group's name may be long

function rowItem(job, row) {
  const { rows } = job;
  const facts = [job.kinds[rows.kind[row]], job.phases[rows.phase[row]], plural(rows.count[row], "call")];
  const module = breakable(job.modules[rows.module[row]].name, kAdviceNameLength);
  const what = labelText(job.strings[rows.label[row]], rows.setup[row]);
  return h(
    "li",
    null,
    module,
    what === "" ? "" : named(` ${what}`, kAdviceNameLength),
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
