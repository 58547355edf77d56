// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { passes } from "../amounts.js";
import { plural, wholeText } from "../text.js";

/** Computes the duration and the communication per rank of training steps. All numbers are per step. */

const kNsPerMs = 1e6;

/**
 * A range of consecutive steps that lie in the same rows. A rank that has run longer merges more steps into one row, so
 * the rows of different ranks can overlap. Every row counts for its own ranks, so every rank counts once.
 * @typedef {Object} Stretch
 * @property {number} first
 * @property {number} steps the number of steps
 * @property {number[]} rows indices into the job's steps
 * @property {number} ranks the number of ranks that have the stretch
 * @property {number} timed the number of ranks that have completed the stretch
 */

/** @returns {Stretch[]} in order */
export function stretchesOf(job) {
  const { steps } = job;
  const end = (row) => steps.first_step[row] + steps.steps[row];
  const rows = steps.first_step.map((_, row) => row);
  const edges = [...new Set(rows.flatMap((row) => [steps.first_step[row], end(row)]))].sort((a, b) => a - b);
  const stretches = [];
  let open = [];
  let next = 0;
  edges.slice(0, -1).forEach((first, i) => {
    open = open.filter((row) => end(row) > first);
    for (; next < rows.length && steps.first_step[next] <= first; next += 1) {
      open.push(next);
    }
    if (open.length > 0) {
      stretches.push({
        first,
        steps: edges[i + 1] - first,
        rows: open.slice(),
        ranks: sum(open, (row) => steps.rank_count[row]),
        timed: sum(open, (row) => steps.timed_rank_count[row]),
      });
    }
  });
  return stretches;
}

function sum(rows, value) {
  return rows.reduce((total, row) => total + value(row), 0);
}

/**
 * Returns milliseconds per step over the ranks that have completed the stretch; null if there are none.
 * @returns {?{mean: number, least: number, most: number, slowest: ?number}} `slowest`: rank; null if it is not numbered
 */
export function timeOf(job, stretch) {
  const { steps } = job;
  const ms = (name, row) => steps[name][row] / steps.steps[row] / kNsPerMs;
  const rows = stretch.rows.filter((row) => steps.timed_rank_count[row] > 0);
  if (rows.length === 0) {
    return null;
  }
  const most = (row) => ms("duration_ns_max", row);
  const slowest = rows.reduce((a, b) => (most(b) > most(a) ? b : a));
  return {
    mean: sum(rows, (row) => ms("duration_ns", row)) / stretch.timed,
    least: Math.min(...rows.map((row) => ms("duration_ns_min", row))),
    most: most(slowest),
    slowest: steps.duration_ns_max_rank[slowest],
  };
}

/** A step that takes this many times the median step warms up if all steps before it do. */
const kWarmUp = 2;

/** Returns how many of the first steps warm up: they compile or allocate, and would dwarf all others. */
export function warmUps(means) {
  const sorted = means.slice().sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const usual = means.findIndex((mean) => mean <= kWarmUp * median);
  return Math.max(usual, 0);
}

/**
 * Returns the amounts per rank and step that pass the filter, as means over the ranks of a stretch: by stretch and
 * kind.
 */
export function kindMeans(job, stretches, filter, metric) {
  const kinds = job.kinds.length;
  const sums = new Float64Array(job.steps.first_step.length * kinds);
  const cells = job.stepCells;
  const ofSteps = { ...filter, phase: -1 }; // the report does not count phases per step
  for (let i = 0; i < cells.step.length; i += 1) {
    if (passes(cells, i, ofSteps)) {
      sums[cells.step[i] * kinds + cells.kind[i]] += cells[metric][i] / job.steps.steps[cells.step[i]];
    }
  }
  return stretches.map(({ rows, ranks }) =>
    job.kinds.map((_, kind) => sum(rows, (row) => sums[row * kinds + kind]) / ranks),
  );
}

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
