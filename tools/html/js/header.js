// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, named, refill, titleOf } from "./dom.js";
import { sizeOf } from "./job.js";
import {
  activityTime,
  commandText,
  durationText,
  plural,
  processesText,
  rangesText,
  shorten,
  startOf,
  timeText,
  wholeText,
} from "./text.js";

/** The page header: the run's name, and facts about the run. */

const kRunLength = 100;
const kSourceLength = 80;
const kCommandLength = 400;

function ranksText(run) {
  if (run.ranks.length === 0) {
    return `none; ${wholeText(run.processCount)} without a rank`;
  }
  const reported = sizeOf(run.ranks);
  const world = run.facts.world_size;
  return world === null || world === reported
    ? `${plural(reported, "rank")}: ${rangesText(run.ranks)}`
    : `${wholeText(reported)} of ${plural(world, "rank")}: ${rangesText(run.ranks)}`;
}

/** Returns how many processes have this exit: "killed", or "2 of 64 processes killed" if not all have it; "" if none has it. */
function exitText(run, exit, words) {
  const count = run.processes.exit.filter((each) => each === exit).length;
  if (count === 0) {
    return "";
  }
  return count === run.processCount ? words : `${wholeText(count)} of ${processesText(run.processCount)} ${words}`;
}

/** Returns how long the run took: to its end or, if commtap saw no end of a process, to the last activity. */
function ranText(run) {
  const { facts, processes } = run;
  if (facts.ended_at) {
    return durationText(facts.started_at, facts.ended_at);
  }
  if (run.runs) {
    return "has not ended";
  }
  const last = activityTime(processes.last_activity_at.reduce((a, b) => Math.max(a, b)));
  const parts = [
    `${durationText(facts.started_at, last)} to the last activity`,
    exitText(run, "killed", "killed"),
    exitText(run, "running", "without a seen end"),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/**
 * Returns names and values of a run's facts. `full` is a value's whole text if the value is cut.
 * @returns {{name: string, value: string, full: ?string}[]}
 */
export function factsOf(run) {
  const { facts } = run;
  const hosts = new Set(run.processes.host).size;
  const command = commandText(facts.argv);
  return [
    ["Run", facts.run_id],
    ["Planned", facts.planned ? "nothing was communicated" : ""],
    ["Ranks", ranksText(run)],
    ["Hosts", wholeText(hosts)],
    ["Started", timeText(facts.started_at)],
    ["Ran", ranText(run)],
    ["Attempt", facts.attempts.length > 1 ? `${facts.attempt} (of ${facts.attempts.join(", ")})` : ""],
    ["Verify", startOf(run.verify?.line ?? "", kCommandLength)],
    ["torch", facts.torch],
    ["commtap", facts.commtap],
    ["From", shorten(facts.source, kSourceLength), titleOf(facts.source, kSourceLength)],
    ["Command", startOf(command, kCommandLength), command.length > kCommandLength ? command : null],
  ]
    .filter(([, value]) => value !== "")
    .map(([name, value, full = null]) => ({ name, value, full }));
}

/** Returns the run's name, or its command: an id says nothing to a reader. */
export function runName(run) {
  const name = run.facts.run_name || startOf(commandText(run.facts.argv), kRunLength) || run.facts.run_id || "report";
  return run.facts.planned ? `plan ${name}` : name;
}

export function drawHeader(job) {
  const run = runName(job);
  refill(byId("run"), named(run, kRunLength));
  document.title = `commtap: ${shorten(run, kRunLength)}`;
  const facts = factsOf(job).filter(({ name, value }) => name !== "Command" || value !== run);
  const items = facts.map(({ name, value, full }) =>
    h("div", null, h("dt", null, name), h("dd", { title: full }, value)),
  );
  refill(byId("facts"), ...items);
}
