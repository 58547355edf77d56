// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/step_spread.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Returns steps of two ranks. The slowest takes `ms` per step.
JobStep stepOf(uint64_t first_step, uint64_t steps, uint64_t ms) {
  JobStep step;
  step.first_step = first_step;
  step.steps = steps;
  step.ranks = step.timed_ranks = 2;
  const uint64_t longest = steps * ms * 1'000'000;
  step.duration_ns = {longest / 2 + longest, longest / 2, longest, 1, 0};
  return step;
}

TEST_CASE("the time of a step is the mean of its ranks, then the shortest and the longest with their ranks") {
  CHECK(stepTimeCells(stepOf(3, 4, 40)) == std::vector<std::string>{"30.0", "20.0 (1)", "40.0 (0)"});
  JobStep running;
  running.ranks = 2;
  CHECK(stepTimeCells(running) == std::vector<std::string>{"", "", ""});
}

TEST_CASE("step spread is the median, the range of four in five, and the slowest, without the warm-up") {
  std::vector<JobStep> steps = {stepOf(0, 1, 9000), stepOf(1, 1, 500)};
  for (uint64_t step = 2; step < 12; ++step) {
    steps.push_back(stepOf(step, 1, step * 10)); // 20 ms to 110 ms
  }
  CHECK(
      stepSpreadText(steps) ==
      "step times of the slowest rank, over 10 steps after the first 2: median 60.0 ms, 20.0 to 100.0 ms for four of "
      "five, slowest 110.0 ms (step 11)\n");
}

TEST_CASE("merged steps count as many in the step spread") {
  const std::string text = stepSpreadText({stepOf(2, 98, 10), stepOf(100, 1, 50), stepOf(101, 1, 60)});
  CHECK(text.find("over 100 steps after") != std::string::npos);
  CHECK(text.find("10.0 to 10.0 ms") != std::string::npos);
  CHECK(text.find("slowest 60.0 ms (step 101)") != std::string::npos);
}

TEST_CASE("a step that a rank has not completed is not in the step spread") {
  std::vector<JobStep> steps = {stepOf(2, 98, 10), stepOf(100, 1, 50), stepOf(101, 1, 60)};
  steps[2].timed_ranks = 1;
  CHECK(stepSpreadText(steps).find("slowest 50.0 ms (step 100)") != std::string::npos);
}

TEST_CASE("too few steps give no step spread") {
  CHECK(stepSpreadText({}).empty());
  std::vector<JobStep> steps;
  for (uint64_t step = 0; step < 6; ++step) {
    steps.push_back(stepOf(step, 1, step + 1));
  }
  CHECK(stepSpreadText(steps).empty());
  CHECK(stepSpreadText({stepOf(2, 1000, 10)}).empty());
}

} // namespace
} // namespace commtap
