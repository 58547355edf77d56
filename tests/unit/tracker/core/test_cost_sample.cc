// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/cost_sample.h"

#include <algorithm>
#include <thread>

#include "tests/unit/torch_doctest.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/core/clock.h"

namespace commtap {
namespace {

void busyFor(uint64_t ns) {
  const uint64_t until = steadyNow() + ns;
  while (steadyNow() < until) {
  }
}

/// Returns the cost that a new thread records for `calls` calls that take `ns` each.
uint64_t spentBy(uint32_t calls, uint64_t ns) {
  const TrackerFixture tracker;
  const auto spent = [&] { return tracker.report().own_cost->other_ns; };
  const uint64_t before = spent();
  std::thread([&] {
    for (uint32_t i = 0; i < calls; ++i) {
      const CostSample sample;
      busyFor(ns);
    }
  }).join();
  return spent() - before;
}

TEST_CASE("a thread's first calls are all measured") {
  constexpr uint64_t kNs = 5'000;
  const uint64_t spent = spentBy(CostSample::kOfEach, kNs);
  CHECK(spent > CostSample::kOfEach * kNs / 2);
  CostSample::Tick tick;
  for (uint32_t call = 0; call < CostSample::kOfEach; ++call) {
    CHECK(tick.nextStandsFor() == 1);
  }
}

TEST_CASE("the more calls were made, the fewer are timed, and those represent the others") {
  constexpr uint64_t kCalls = 2'000'000;
  CostSample::Tick tick;
  uint64_t measured = 0;
  uint64_t stood_for = 0;
  uint32_t longest = 0;
  for (uint64_t call = 1; call <= kCalls; ++call) {
    const uint32_t stands_for = tick.nextStandsFor();
    measured += stands_for == 0 ? 0 : 1;
    stood_for += stands_for;
    longest = std::max(longest, stands_for);
    // The calls that the last timed call represents and that are not made yet.
    REQUIRE(stood_for >= call);
    REQUIRE(stood_for - call <= call / 16);
  }
  CHECK(longest == CostSample::kMaxEvery);
  CHECK(measured < kCalls / 2000);
}

TEST_CASE("a timed call represents untimed ones") {
  constexpr uint64_t kNs = 1'000;
  constexpr uint32_t kCalls = 10'000;
  CHECK(spentBy(kCalls, kNs) > kCalls * kNs / 2);
}

TEST_CASE("a slow call represents itself alone") {
  constexpr uint32_t kCalls = CostSample::kOfEach + 2;
  const uint64_t began = steadyNow();
  const uint64_t spent = spentBy(kCalls, CostSample::kRareNs * 2);
  CHECK(spent > CostSample::kOfEach * CostSample::kRareNs);
  CHECK(spent < steadyNow() - began);
}

} // namespace
} // namespace commtap
