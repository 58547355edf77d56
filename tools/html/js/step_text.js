// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { bytesText, fractionText, plural, wholeText } from "./text.js";

/** Steps in words. */

/** "step 5", "steps 16-17" */
export function stepsText({ first, steps }) {
  return steps === 1 ? `step ${wholeText(first)}` : `steps ${wholeText(first)}-${wholeText(first + steps - 1)}`;
}

/** "3 of 4 ranks" */
export function ranksText(job, stretch) {
  const all = plural(job.rankCount, "rank");
  return stretch.ranks === job.rankCount ? all : `${wholeText(stretch.ranks)} of ${all}`;
}

/** Of ranks that have added up more steps than others only the mean is known. */
function addedUp(job, stretch) {
  const { steps } = job;
  return stretch.rows
    .map((row) => ({ first: steps.first_step[row], steps: steps.steps[row], ranks: steps.rank_count[row] }))
    .filter((row) => row.steps > stretch.steps)
    .map((row) => [`Of ${plural(row.ranks, "rank")}`, `mean of ${stepsText(row)}`]);
}

/** What is to be known of any number of a stretch. */
export function footnotes(job, stretch) {
  const lines = [["Of", ranksText(job, stretch)], ...addedUp(job, stretch)];
  if (stretch.steps > 1) {
    lines.push(["Numbers are", `the mean of ${plural(stretch.steps, "step")}`]);
  }
  if (stretch.timed < stretch.ranks) {
    lines.push(["Not ended by", plural(stretch.ranks - stretch.timed, "rank")]);
  }
  return lines;
}

/** A mean, which of calls need not be a whole number. */
export function amountText(metric, value) {
  return metric === "count" ? fractionText(value) : bytesText(value);
}
