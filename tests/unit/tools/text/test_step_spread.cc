// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/step_spread.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("step spread is the median, the range of four in five, and the slowest, without the warm-up") {
  std::vector<StepTime> times = {{0, 1, 9000}, {1, 1, 500}};
  for (uint64_t step = 2; step < 12; ++step) {
    times.push_back({step, 1, static_cast<double>(step) * 10}); // 20 ms to 110 ms
  }
  CHECK(
      stepSpreadText(times) ==
      "step times, over 10 steps after the first 2: median 60.0 ms, 20.0 to 100.0 ms for four of five, slowest 110.0 "
      "ms "
      "(step 11)\n");
}

TEST_CASE("merged steps count as many in the step spread") {
  const std::string text = stepSpreadText({{2, 98, 10}, {100, 1, 50}, {101, 1, 60}});
  CHECK(text.find("over 100 steps after") != std::string::npos);
  CHECK(text.find("10.0 to 10.0 ms") != std::string::npos);
  CHECK(text.find("slowest 60.0 ms (step 101)") != std::string::npos);
}

TEST_CASE("too few steps give no step spread") {
  CHECK(stepSpreadText({}).empty());
  CHECK(stepSpreadText({{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 1, 4}, {4, 1, 5}, {5, 1, 6}}).empty());
  CHECK(stepSpreadText({{2, 1000, 10}}).empty());
}

} // namespace
} // namespace commtap
