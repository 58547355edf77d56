// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"

namespace commtap {

/// The job as the page of `commtap html` reads it (tools/html/js/job.js): pure ASCII JSON, safe inside a <script>
/// element. The page is part of the same build, so this is no format for others; those read commtap.job/1.
///
/// Tables are objects of columns, each text stands once, in `strings`, and is then named by its position: a model of
/// 10,000 modules takes a few MiB. Fields are named as in commtap.job/1, numbers are sums over ranks, and
/// - `phases`, `kinds`: the names that numbers stand for;
/// - `groups[].members`: how many process groups it stands for; `disagreements[].members` are ranges of ranks;
/// - `modules`: columns; `parent` -1 for the first, `calls` by phase;
/// - `rows`: columns of `collectives`; `async` 0 no, 1 yes, 2 not known; `count_min`, `count_max_rank` and so on: of
///   one rank;
/// - `processes`, `cells`: columns; a cell is what a process, by position, has of a kind;
/// - `steps`, `step_cells`: columns; durations are 0 where no rank has ended the step, a cell is what a row of `steps`,
///   by position, has of a kind in a group;
/// - `group_times`, `module_times`: columns; `queued_ns`, `running_ns` are means, null where nothing was measured;
/// - `nccl`: null, or the columns `compared`, an op and group with a function that was called for it (null: none was),
///   and `beside`, the calls that no collective makes; `versions` with ranges of ranks.
std::string pageData(const JobReport& job);

} // namespace commtap
