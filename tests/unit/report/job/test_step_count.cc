// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/step_count.h"

#include <doctest/doctest.h>

#include <array>
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

TEST_CASE("trainingStepCount counts the steps that train") {
  JobReport job;
  CHECK(trainingStepCount(job) == 0);
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 4, 8)};
  CHECK(trainingStepCount(job) == 5);
  job.steps[1].backward_passes = 4; // the first step is an evaluation
  CHECK(trainingStepCount(job) == 4);
}

/// Returns the numbers of steps that train, by row.
std::vector<uint64_t> training(const std::vector<std::array<uint64_t, 3>>& rows) {
  JobReport job;
  uint64_t first = 0;
  for (const auto& [steps, forwards, backwards] : rows) {
    job.steps.push_back(completedSteps(first, steps, 1));
    job.steps.back().forward_passes = forwards;
    job.steps.back().backward_passes = backwards;
    first += steps;
  }
  std::vector<uint64_t> numbers;
  for (const StepsThatTrain& each : trainingSteps(job)) {
    numbers.push_back(each.training);
  }
  return numbers;
}

TEST_CASE("a step without a backward pass evaluates") {
  using Numbers = std::vector<uint64_t>;
  CHECK(training({{1, 1, 0}, {1, 1, 0}, {1, 1, 1}, {4, 4, 4}}) == Numbers{0, 0, 1, 4});
  CHECK(training({{1, 4, 4}, {1, 1, 0}, {1, 4, 4}}) == Numbers{1, 0, 1}); // micro-batches
  CHECK(training({{2, 4, 1}, {1, 1, 1}}) == Numbers{1, 1});               // steps that are added up
}

TEST_CASE("steps train whose backward passes do not communicate: a later step counts them") {
  using Numbers = std::vector<uint64_t>;
  CHECK(training({{1, 1, 0}, {1, 1, 0}, {1, 1, 3}, {1, 1, 1}}) == Numbers{1, 1, 1, 1});
  CHECK(training({{1, 1, 0}, {1, 1, 0}}) == Numbers{1, 1}); // no backward is known: nothing says that these evaluate
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
