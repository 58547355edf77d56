// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/compare/compared_steps.h"
#include "report/compare/tolerance.h"
#include "report/job/job_report.h"
#include "report/verify/verification.h"

namespace commtap {

/// Facts of a page that the caller of pageData() knows.
struct PageChoice {
  std::string why;    ///< the result of endedLine(); "" for none
  bool total = false; ///< shows sums over ranks and steps until the reader chooses means
};

/// Returns the job as ASCII JSON for the page (tools/html/js/job.js), safe to embed in a <script> element. Page and
/// data come from the same build, so the format may change at any time; other programs read commtap.job/2.
///
/// A table is an object of columns. Distinct strings are in `strings`; columns refer to them by index. A model of
/// 10,000 modules takes a few MiB. Fields have the names of commtap.job/2, and amounts are sums over ranks. Fields that
/// need an explanation:
/// - `phases`, `kinds`: names; columns refer to them by index;
/// - `groups[].members`: number of process groups with this name; `disagreements[].members`: ranges of ranks;
/// - `modules`: table; `parent` is -1 for the root, `calls` is a list by phase;
/// - `rows`: table of `collectives`; `async` is 0 for no, 1 for yes, 2 for unknown; `count_min`, `count_max_rank` and
///   similar columns are about a single rank;
/// - `unit`: the number of ranks and of training steps, and texts; `why`, `total`: see PageChoice;
/// - `advice`, `verify`: see page_columns.h;
/// - `members`: table; the modules that rows cover, by row, "" for padding;
/// - `processes`, `cells`: tables; times of processes are in ns since 1970; a cell holds the amounts of one kind in one
/// process, given by its index;
/// - `steps`, `step_cells`: tables; durations are 0 if no rank has completed the step; a cell holds the amounts of one
///   kind and group in one row of `steps`, given by its index;
/// - `group_times`, `module_times`: tables; `queued_ns` and `running_ns` are means, null if nothing was measured;
/// - `nccl`: null, or an object. Its table `compared` has one row per op, group and NCCL function called (null if none
///   was); its table `beside` has the calls that no collective makes; `versions` has ranges of ranks.
std::string pageData(const JobReport& job, const Verification* verification = nullptr, const PageChoice& choice = {});

/// Returns the difference of two runs as data for the page (tools/html/js/diff/diff.js), in the form that page_data.h
/// describes. Numbers are those of `commtap diff`: means per rank and step, or per rank and run without `steps`, over
/// the ranks that have the row. Fields that need an explanation:
/// - `before`, `after`: the runs, each with the facts, ranks and processes of a page;
/// - `summary`: the first line of `commtap diff`; `unit`: that of its numbers;
/// - `notes`: reasons why the runs are hard to compare;
/// - `totals`: table with one row per kind, phase and group of either run, and one for all; `by` is "all", "kind",
///   "phase", "group" or "set-up"; amounts are sums over ranks divided by the number of ranks;
/// - `changes`: table of the rows that differ by more than `rules` tolerate; equal changes of modules whose names
///   differ only in numbers are one row, whose `modules` lists them; `label` is "" for none, `setup` whether it is
///   set-up; amounts are those of each module, null for a row that the run does not have.
std::string diffData(
    const JobReport& before,
    const JobReport& after,
    const std::vector<Tolerance>& rules,
    ComparedSteps steps = {});

/// Returns the document of a sweep as ASCII JSON for the page, safe to embed in a <script> element.
Result<std::string> sweepData(const std::string& file);

} // namespace commtap
