// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/compare/compared_steps.h"
#include "report/compare/tolerance.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns the difference of two runs as data for the page (tools/html/js/diff.js), in the form that page_data.h
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

} // namespace commtap
