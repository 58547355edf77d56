// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/step_count.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Returns a step that no rank has completed.
JobStep openStep(uint64_t first_step, uint64_t calls) {
  JobStep step;
  step.first_step = first_step;
  step.ranks = 1;
  JobStepAmount amount;
  amount.count.sum = calls;
  step.collectives = {amount};
  return step;
}

JobStep completedSteps(uint64_t first_step, uint64_t steps, uint64_t calls) {
  JobStep step = openStep(first_step, calls);
  step.steps = steps;
  step.timed_ranks = 1;
  return step;
}

TEST_CASE("the last step counts if a rank completed it, or if it communicated") {
  JobReport job;
  CHECK(stepsOf(job) == 0);
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 1, 2), openStep(2, 2)};
  CHECK(stepsOf(job) == 3);
  job.steps[2] = completedSteps(2, 1, 0); // as local SGD
  CHECK(stepsOf(job) == 3);
}

TEST_CASE("the step that had only begun when a plan ended is no step") {
  JobReport job;
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 1, 2), completedSteps(2, 1, 2), openStep(3, 0)};
  CHECK(stepsOf(job) == 3);
  job.steps[3].collectives.clear();
  CHECK(stepsOf(job) == 3);
}

TEST_CASE("steps that the report adds up count with their number, up to the largest one") {
  JobReport job;
  job.steps = {completedSteps(0, 1, 1), completedSteps(1, 64, 64)};
  CHECK(stepsOf(job) == 65);
  job.steps.push_back(completedSteps(UINT64_MAX, 8, 1));
  CHECK(stepsOf(job) == UINT64_MAX);
}

} // namespace
} // namespace commtap
