// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/step_count.h"

#include <algorithm>

#include "report/model/saturating.h"

namespace commtap {
namespace {

bool wasMade(const JobStep& step) {
  return step.timed_ranks > 0 || std::any_of(step.collectives.begin(), step.collectives.end(), [](const auto& amount) {
           return amount.count.sum > 0;
         });
}

/// Finds the steps with backward passes, from the last one on.
class BackwardPasses {
 public:
  /// Returns how many steps of a row have a backward pass.
  uint64_t stepsIn(const JobStep& row) {
    uint64_t passes = row.backward_passes.value_or(0);
    addSaturating(passes, later_);
    const uint64_t of_this_row = std::max(row.forward_passes.value_or(0), row.steps);
    later_ = passes - std::min(passes, of_this_row);
    return std::min(passes, row.steps);
  }

 private:
  uint64_t later_ = 0; ///< passes that a step has beyond its forwards: they belong to earlier steps
};

} // namespace

std::vector<StepsThatTrain> trainingSteps(const JobReport& job) {
  const uint64_t made = stepsOf(job);
  std::vector<StepsThatTrain> rows;
  uint64_t end = 0;
  bool has_backward = false;
  for (const JobStep& step : job.steps) {
    if (step.first_step < made && step.first_step >= end) {
      end = step.first_step;
      addSaturating(end, step.steps);
      rows.push_back({&step, step.steps});
      has_backward = has_backward || step.backward_passes.value_or(0) > 0;
    }
  }
  BackwardPasses passes;
  for (auto row = rows.rbegin(); has_backward && row != rows.rend(); ++row) {
    row->training = passes.stepsIn(*row->row);
  }
  return rows;
}

uint64_t trainingStepCount(const JobReport& job) {
  uint64_t count = 0;
  for (const StepsThatTrain& each : trainingSteps(job)) {
    addSaturating(count, each.training);
  }
  return count;
}

uint64_t stepsOf(const JobReport& job) {
  uint64_t end = 0;
  for (const JobStep& step : job.steps) {
    uint64_t end_of_step = step.first_step;
    addSaturating(end_of_step, step.steps);
    end = wasMade(step) ? std::max(end, end_of_step) : end;
  }
  return end;
}

} // namespace commtap
