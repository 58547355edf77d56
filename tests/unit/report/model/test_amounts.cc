// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/amounts.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("amounts are summed by phase and kind") {
  const Amounts amounts = {
      {{Phase::kForward, Kind::kAllReduce}, {1, 10, 15}},
      {{Phase::kBackward, Kind::kAllReduce}, {2, 20, 30}},
      {{Phase::kForward, Kind::kBroadcast}, {4, 40, 40}},
  };
  CHECK(sumOf(amounts, {}, {}) == Amount{7, 70, 85});
  CHECK(sumOf(amounts, Phase::kForward, {}) == Amount{5, 50, 55});
  CHECK(sumOf(amounts, {}, Kind::kAllReduce) == Amount{3, 30, 45});
  CHECK(sumOf(amounts, Phase::kRecompute, Kind::kAllReduce) == Amount{});
}

TEST_CASE("a step's amounts are summed over kinds and groups") {
  Step step;
  step.collectives = {{Kind::kAllReduce, "0", 2, 20, 3, 4}, {Kind::kBroadcast, "1", 1, 10, 5, 6}};
  const StepAmount sum = sumOf(step);
  CHECK(sum.count == 3);
  CHECK(sum.bytes == 30);
  CHECK(sum.running_ns == 8);
  CHECK(sum.exposed_ns == 10);
}

TEST_CASE("sums stay at the largest number instead of wrapping") {
  Amount sum{UINT64_MAX - 1, 5, 1};
  sum += {2, UINT64_MAX, 1};
  CHECK(sum == Amount{UINT64_MAX, UINT64_MAX, 2});
  Step step;
  step.collectives = {{Kind::kAllReduce, "0", UINT64_MAX, UINT64_MAX}, {Kind::kAllReduce, "1", 1, 1}};
  CHECK(sumOf(step).count == UINT64_MAX);
  CHECK(sumOf(step).bytes == UINT64_MAX);
}

} // namespace
} // namespace commtap
