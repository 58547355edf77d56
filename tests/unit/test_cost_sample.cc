// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cost_sample.h"

#include <thread>

#include "tests/unit/torch_doctest.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/clock.h"

namespace commtap {
namespace {

void busyFor(uint64_t ns) {
  const uint64_t until = steadyNow() + ns;
  while (steadyNow() < until) {
  }
}

/// What a new thread that makes `calls`, each of them busy for `ns`, says that it spent.
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
  const uint64_t spent = spentBy(CostSample::kAll, kNs);
  CHECK(spent > CostSample::kAll * kNs / 2);
}

TEST_CASE("later calls are measured now and then, and stand for those between") {
  constexpr uint64_t kNs = 1'000;
  constexpr uint32_t kCalls = CostSample::kAll + 10 * CostSample::kEvery;
  CHECK(spentBy(kCalls, kNs) > kCalls * kNs / 2);
}

TEST_CASE("what takes long stands for itself alone") {
  constexpr uint32_t kCalls = CostSample::kAll + 2;
  const uint64_t began = steadyNow();
  const uint64_t spent = spentBy(kCalls, CostSample::kRareNs * 2);
  CHECK(spent > CostSample::kAll * CostSample::kRareNs);
  CHECK(spent < steadyNow() - began);
}

} // namespace
} // namespace commtap
