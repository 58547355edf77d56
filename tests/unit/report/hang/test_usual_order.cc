// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/usual_order.h"

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

/// A rank that made three steps of four calls over two groups.
HangJob steadyRank() {
  HangJob job(2);
  job.addGroup("tp", {0, 1});
  for (int step = 0; step < 3; ++step) {
    for (const char* module : {"Net.a", "Net.b", "Net.c", "Net.d"}) {
      job.issue(0, Kind::kAllReduce, module, module == std::string("Net.c") ? "tp" : "world");
    }
  }
  return job;
}

std::function<bool(const LastCollective&)> are(const LastCollective& call) {
  return [call](const LastCollective& each) { return areAlikeInGroup(each, call); };
}

/// Returns the index of the call of rank 0 that it made in place of one of the module.
std::optional<size_t> leftOut(HangJob& job, const std::string& module) {
  const std::vector<const LastCollective*> calls = lastCalls(job.report(0));
  return leftOutAt(calls, [&module](const LastCollective& call) { return call.module == module; });
}

TEST_CASE("the usual call is the one that came after the same two calls before") {
  HangJob job = steadyRank();
  const auto usual = [&job](size_t at) {
    const std::vector<const LastCollective*> calls = lastCalls(job.report(0));
    const std::optional<size_t> found = usualAfter(calls, at == 0 ? calls.size() : at);
    return found ? calls[*found] : nullptr;
  };
  REQUIRE(usual(0) != nullptr);
  CHECK(usual(0)->module == "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  CHECK(usual(0)->module == "Net.c");
  CHECK(usual(0)->group == "tp");
  CHECK(usual(3) == nullptr);
  CHECK_FALSE(usualAfter({}, 0));
}

TEST_CASE("a rank that made the call after the usual one left the usual one out") {
  HangJob job = steadyRank();
  const LastCollective usual = job.report(0).last[2]; // Net.c
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.issue(0, Kind::kAllReduce, "Net.d");
  CHECK(leftOutAt(lastCalls(job.report(0)), are(usual)) == 14U);
  CHECK_FALSE(leftOutAt(lastCalls(job.report(0)), are(job.report(0).last[1])));
  job.report(0).last.back().module = "Net.new";
  CHECK_FALSE(leftOutAt(lastCalls(job.report(0)), are(usual)));
  CHECK_FALSE(leftOutAt({}, are(usual)));
}

TEST_CASE("a call that was left out in an earlier step is found, if it came there each time before") {
  HangJob job = steadyRank();
  for (const char* module : {"Net.a", "Net.b", "Net.d", "Net.a", "Net.b", "Net.c", "Net.d", "Net.a"}) {
    job.issue(0, Kind::kAllReduce, module, module == std::string("Net.c") ? "tp" : "world");
  }
  CHECK(leftOut(job, "Net.c") == 14U);
  CHECK_FALSE(leftOut(job, "Net.d"));
}

TEST_CASE("a call that is made now and then was not left out at the other times") {
  HangJob job(2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < 4; ++step) {
      job.issue(0, Kind::kAllReduce, "Net.a");
      job.issue(0, Kind::kAllGather, "Net.b");
    }
    job.issue(0, Kind::kBarrier, "Global");
  }
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllGather, "Net.b");
  job.issue(0, Kind::kAllReduce, "Net.a");
  CHECK_FALSE(leftOut(job, "Global"));
}

TEST_CASE("a rank that comes to a barrier after fewer batches than before left one out") {
  for (const int batches : {3, 4, 5}) {
    HangJob job(2);
    for (const int made : {4, batches}) {
      for (int i = 0; i < made; ++i) {
        job.issue(0, Kind::kAllReduce, "Net.a");
      }
      job.issue(0, Kind::kBarrier, "Global");
    }
    CHECK(leftOut(job, "Net.a").has_value() == (batches < 4));
  }
}

} // namespace
} // namespace commtap
