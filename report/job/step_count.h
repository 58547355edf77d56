// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the number of training steps of a job's longest rank. A step that no rank has completed counts only if it
/// communicated: a plan ends where its next step begins, and so does a loop that marks its steps.
uint64_t stepsOf(const JobReport& job);

/// A row of a job's steps, and how many of these steps train.
struct StepsThatTrain {
  const JobStep* row = nullptr;
  uint64_t training = 0;
};

/// Returns the rows of the steps that stepsOf() counts, in order. Ranks that made other numbers of steps may have rows
/// for steps that an earlier row has: it leaves these out. A step trains if it has a backward pass, or if its backward
/// passes are counted in a later step, because they do not communicate. If no step has one, all of them train.
std::vector<StepsThatTrain> trainingSteps(const JobReport& job);

/// Returns how many steps of a job train; 0 if it has no steps.
uint64_t trainingStepCount(const JobReport& job);

} // namespace commtap
