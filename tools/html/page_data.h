// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

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
/// - `advice`: see page_advice.h; `verify`: see page_verify.h;
/// - `members`: table; the modules that rows cover, by row, "" for padding;
/// - `processes`, `cells`: tables; times of processes are in ns since 1970; a cell holds the amounts of one kind in one
/// process, given by its index;
/// - `steps`, `step_cells`: tables; durations are 0 if no rank has completed the step; a cell holds the amounts of one
///   kind and group in one row of `steps`, given by its index;
/// - `group_times`, `module_times`: tables; `queued_ns` and `running_ns` are means, null if nothing was measured;
/// - `nccl`: null, or an object. Its table `compared` has one row per op, group and NCCL function called (null if none
///   was); its table `beside` has the calls that no collective makes; `versions` has ranges of ranks.
std::string pageData(const JobReport& job, const Verification* verification = nullptr, const PageChoice& choice = {});

} // namespace commtap
