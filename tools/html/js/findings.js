// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, refill } from "./dom.js";
import { sizeOf } from "./job.js";
import { bytesText, plural, rangesText, rankListText, shorten, wholeText } from "./text.js";

/** What the reader must know before any number: ranks that disagree, are missing or died, and what was not seen. */

const kMostShown = 100;
const kNameLength = 160;

const kWhat = {
  order: "another collective under the same number",
  count: "different numbers of calls",
  bytes: "different payload",
  module: "as many calls in all, but for different modules or in different phases",
  unmatched: "sent and not received",
};

/**
 * @typedef {Object} Finding
 * @property {string} key unique in the page, and the same when it is drawn anew
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
    return `${who}: ${value.kind} for ${shorten(value.module, kNameLength)}${bytes}`;
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
  meaning: "Ranks of one process group that did not do the same: likely a hang or a bug.",
  open: true,
};

/** What would be serious at the end. */
const kAhead = {
  key: "ahead",
  level: "note",
  title: "Ranks are not equally far",
  meaning: "The job runs: what ranks that are ahead have issued, the others have still to issue.",
};

const kMild = {
  key: "mild",
  level: "note",
  title: "Ranks agree in number, not in the module",
  meaning: "Ranks of one process group made as many calls as each other, but for different modules or in other phases.",
};

/** @returns {Finding[]} those that may hang a job apart from those that cannot */
function disagreements(job) {
  const mild = job.disagreements.filter(({ what }) => what === "module");
  const serious = job.disagreements.filter(({ what }) => what !== "module");
  const hidden = job.disagreementsFound - job.disagreements.length;
  return [
    [job.runs ? kAhead : kSerious, serious],
    [kMild, mild],
  ]
    .filter(([, items]) => items.length > 0)
    .map(([{ title, meaning, ...finding }, items]) => {
      const more = hidden > 0 ? `, the worst of ${wholeText(job.disagreementsFound)}` : "";
      const found = list(items.map((item) => disagreement(job, item)));
      const body = h("div", null, h("p", null, meaning), found);
      return { ...finding, title: `${title}: ${plural(items.length, "difference")}${more}`, body };
    });
}

function missing(job) {
  return {
    key: "missing",
    level: "bad",
    title: `${plural(sizeOf(job.missingRanks), "rank")} without a report: ${rangesText(job.missingRanks)}`,
    body: h("p", null, "What they did is in no number here."),
  };
}

const kExitText = {
  running: "still running, or not ended in a way that could be told",
  _exit: "ended by _exit",
  signal: "ended by a signal of their own",
  killed: "killed: SIGKILL, the OOM killer, a signal from outside",
};

function ends(job) {
  const byExit = new Map();
  for (let i = 0; i < job.processCount; i += 1) {
    const exit = job.processes.exit[i];
    if (exit !== "normal" && !(job.live && exit === "running")) {
      byExit.set(exit, byExit.get(exit) ?? []);
      byExit.get(exit).push(job.processName(i));
    }
  }
  return [...byExit].map(([exit, names]) => ({
    key: `exit-${exit}`,
    level: exit === "_exit" ? "note" : "warn",
    title: `${names.length === 1 ? names[0] : `${wholeText(names.length)} processes`} ${kExitText[exit] ?? exit}`,
    body: h("p", null, names.slice(0, kMostShown).join(", ") + (names.length > kMostShown ? ", …" : ".")),
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

/** @returns {Finding[]} the gravest first */
function findingsOf(job) {
  const found = disagreements(job);
  if (job.missingRanks.length > 0) {
    found.push(missing(job));
  }
  found.push(...ends(job));
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

const kFine = " No rank is missing, ranks agree with each other, and there is nothing that was not seen.";
const kFineHere = " The ranks of this node agree with each other, and there is nothing that was not seen.";
const kLevelText = { bad: "Problem", warn: "Warning", note: "Note" };

function panel(finding) {
  const badge = h("span", { class: "badge" }, kLevelText[finding.level]);
  const summary = h("summary", { "data-key": `finding-${finding.key}` }, badge, " ", h("span", null, finding.title));
  const key = `details-${finding.key}`;
  const attributes = { class: `finding ${finding.level}`, "data-key": key, open: finding.open === true };
  return h("details", attributes, summary, finding.body);
}

export function drawFindings(job) {
  const found = findingsOf(job);
  const fine = h("p", { class: "finding good" }, h("span", { class: "badge" }, "Good"), job.live ? kFineHere : kFine);
  refill(byId("findings"), ...(found.length > 0 ? found.map(panel) : [fine]));
}
