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
