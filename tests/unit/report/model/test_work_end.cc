// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/work_end.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a call is under way until it has returned, and until it has completed where completions are known") {
  Report report;
  CHECK_FALSE(hasCallUnderWay(report));
  report.job.timing.every = 1;
  report.last = {{.group = "0", .state = LastState::kReturned}, {.group = "0", .state = LastState::kReturned}};
  CHECK_FALSE(hasCallUnderWay(report));
  report.last[0].state = LastState::kCompleted;
  CHECK(hasCallUnderWay(report));
  report.last[1].group = "1"; // its backend reports no completions
  CHECK_FALSE(hasCallUnderWay(report));
  report.last[1] = {.group = "0", .state = LastState::kReturned};
  report.job.timing.every = 2; // the call may not be timed
  CHECK_FALSE(hasCallUnderWay(report));
  for (const LastState state : {LastState::kIssued, LastState::kFailed}) {
    report.last[1].state = state;
    CHECK(hasCallUnderWay(report));
  }
}

TEST_CASE("a call to NCCL that has not returned is under way") {
  Report report;
  CHECK_FALSE(hasCallUnderWay(report));
  report.open_calls.push_back({.function = "ncclAllReduce"});
  CHECK(hasCallUnderWay(report));
}

} // namespace
} // namespace commtap
