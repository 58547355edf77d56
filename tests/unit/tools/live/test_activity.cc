// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/activity.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST_CASE("a job is idle since the last activity of its most recent process") {
  Report first;
  first.job.started_at_ns = 5 * kSecond;
  Report second = first;
  second.steps.push_back({.started_at_ns = 8 * kSecond});
  const std::vector<const Report*> reports = {&first, &second};
  CHECK(idleSeconds(reports, 70 * kSecond) == 62);
  CHECK(idleSeconds(reports, 7 * kSecond) == 0);
}

} // namespace
} // namespace commtap
