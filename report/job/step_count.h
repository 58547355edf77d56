// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/amounts.h"

namespace commtap {

/// Returns the number of steps of a job's longest rank. If any step trained, these are the steps in which an optimizer
/// stepped, or which what was taken for its sign ended; what is outside of them is no step. In a job that only
/// evaluates, a step that no rank has completed counts only if it communicated.
uint64_t stepsOf(const JobReport& job);

/// A row of a job's steps, and how many of these steps train.
struct StepsThatTrain {
  const JobStep* row = nullptr;
  uint64_t training = 0;
};

/// Returns the rows of the steps that stepsOf() counts, and of what is outside of them, in order. Ranks that made other
/// numbers of steps may have rows for steps that an earlier row has: it leaves these out.
std::vector<StepsThatTrain> trainingSteps(const JobReport& job);

} // namespace commtap
