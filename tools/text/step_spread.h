// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Explains the columns of stepTimeCells(), for the heading of a table of steps.
inline constexpr const char* kStepTimesAre = "MS PER STEP: mean of the ranks; COUNT and BYTES: sum of the ranks";

/// Returns the milliseconds per step: the mean of the ranks that completed the steps, the shortest and the longest,
/// each with its rank: "12.5", "12.0 (3)", "13.1 (0)". Returns three empty cells if no rank has completed them.
std::vector<std::string> stepTimeCells(const JobStep& step);

/// Returns one line about how much the times of the slowest rank vary, without the first steps, which compile and warm
/// up. Steps that are added up count with their mean. Returns "" for too few steps.
std::string stepSpreadText(const std::vector<JobStep>& steps);

} // namespace commtap
