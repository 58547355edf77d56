// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

#include <doctest/doctest.h>

#include <vector>

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

TEST_CASE("the last step counts if it trained, also if it did not communicate") {
  JobReport job;
  job.steps = {completedSteps(0, 1, 2), openStep(1, 0)};
  CHECK(stepsOf(job) == 1);
  job.steps[0].training_steps = job.steps[1].training_steps = 1;
  CHECK(stepsOf(job) == 2);
}

TEST_CASE("what is outside of the training steps is no step, and its rows are among them in order") {
  JobReport job;
  job.outside_steps = {completedSteps(0, 6, 6), completedSteps(2, 1, 1)};
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 1, 2)};
  CHECK(stepsOf(job) == 2);
  std::vector<uint64_t> training;
  for (const StepsThatTrain& each : trainingSteps(job)) {
    training.push_back(each.training);
  }
  CHECK(training == std::vector<uint64_t>{0, 1, 1, 0});
}

TEST_CASE("rows of the same steps count once, and the step that has only begun does not") {
  JobReport job;
  job.steps = {completedSteps(0, 2, 1), completedSteps(0, 4, 1), completedSteps(2, 2, 1), openStep(4, 0)};
  const std::vector<StepsThatTrain> rows = trainingSteps(job);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].row == &job.steps[2]);
}

} // namespace
} // namespace commtap
