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

} // namespace

std::vector<StepsThatTrain> trainingSteps(const JobReport& job) {
  const uint64_t made = stepsOf(job);
  std::vector<StepsThatTrain> rows;
  auto outside = job.outside_steps.begin();
  uint64_t end = 0;
  for (const JobStep& step : job.steps) {
    for (; outside != job.outside_steps.end() && outside->first_step <= step.first_step; ++outside) {
      rows.push_back({&*outside, 0});
    }
    if (step.first_step < made && step.first_step >= end) {
      end = step.first_step;
      addSaturating(end, step.steps);
      rows.push_back({&step, step.steps});
    }
  }
  for (; outside != job.outside_steps.end(); ++outside) {
    rows.push_back({&*outside, 0});
  }
  return rows;
}

uint64_t stepsOf(const JobReport& job) {
  uint64_t end = 0;
  for (const JobStep& step : job.steps) {
    uint64_t end_of_step = step.first_step;
    addSaturating(end_of_step, step.steps);
    end = step.training_steps || wasMade(step) ? std::max(end, end_of_step) : end;
  }
  return end;
}

} // namespace commtap
