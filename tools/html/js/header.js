// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, refill } from "./dom.js";
import { sizeOf } from "./job.js";
import { plural, rangesText, shorten, wholeText } from "./text.js";

/** The page header: the run's name, and facts about the run. */

/** Returns a timestamp of the report as "2026-11-21 09:20:32 UTC". */
function timeText(time) {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

function durationText(from, to) {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
  const parts = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  const words = ["d", "h", "min"].map((unit, i) => (parts[i] > 0 ? `${parts[i]} ${unit}` : "")).filter(Boolean);
  return words.length > 0 ? words.slice(0, 2).join(" ") : `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}

function ranksText(job) {
  if (job.ranks.length === 0) {
    return `none; ${wholeText(job.processCount)} without a rank`;
  }
  const reported = sizeOf(job.ranks);
  const world = job.facts.world_size;
  return world === null || world === reported
    ? `${plural(reported, "rank")}: ${rangesText(job.ranks)}`
    : `${wholeText(reported)} of ${plural(world, "rank")}: ${rangesText(job.ranks)}`;
}

function factsOf(job) {
  const { facts } = job;
  const hosts = new Set(job.processes.host).size;
  return [
    ["Ranks", ranksText(job)],
    ["Hosts", wholeText(hosts)],
    ["Started", timeText(facts.started_at)],
    ["Ran", facts.ended_at ? durationText(facts.started_at, facts.ended_at) : "has not ended"],
    ["Attempt", facts.attempts.length > 1 ? `${facts.attempt} (of ${facts.attempts.join(", ")})` : ""],
    ["torch", facts.torch],
    ["commtap", facts.commtap],
    ["From", shorten(facts.source, 80)],
  ].filter(([, value]) => value !== "");
}

export function drawHeader(job) {
  const run = job.facts.run_id || "report";
  byId("run").textContent = shorten(run, 100);
  document.title = `commtap: ${shorten(run, 100)}`;
  const items = factsOf(job).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)));
  refill(byId("facts"), ...items);
}
