// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { plural, wholeText } from "../text.js";

/** Texts about steps. */

/** Returns "step 5" or "steps 16-17". */
export function stepsText({ first, steps }) {
  return steps === 1 ? `step ${wholeText(first)}` : `steps ${wholeText(first)}-${wholeText(first + steps - 1)}`;
}

/** Returns "3 of 4 ranks", or "4 ranks" if all ranks have the stretch. */
export function ranksText(job, stretch) {
  const all = plural(job.rankCount, "rank");
  return stretch.ranks === job.rankCount ? all : `${wholeText(stretch.ranks)} of ${all}`;
}

/** Returns a line per row that covers more steps than the stretch: for the row's ranks only the mean is known. */
function addedUp(job, stretch) {
  const { steps } = job;
  return stretch.rows
    .map((row) => ({ first: steps.first_step[row], steps: steps.steps[row], ranks: steps.rank_count[row] }))
    .filter((row) => row.steps > stretch.steps)
    .map((row) => [`For ${plural(row.ranks, "rank")}`, `mean of ${stepsText(row)}`]);
}

/** Returns the notes that apply to all numbers of a stretch. */
export function footnotes(job, stretch) {
  const lines = [["From", ranksText(job, stretch)], ...addedUp(job, stretch)];
  if (stretch.steps > 1) {
    lines.push(["Mean of", plural(stretch.steps, "step")]);
  }
  if (stretch.timed < stretch.ranks) {
    lines.push(["Not completed by", plural(stretch.ranks - stretch.timed, "rank")]);
  }
  return lines;
}
