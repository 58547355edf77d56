// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/usual_order.h"

#include <doctest/doctest.h>

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

TEST_CASE("the usual call is the one that came after the same two calls before") {
  HangJob job = steadyRank();
  const std::vector<LastCollective>& last = job.report(0).last;
  REQUIRE(usualAfter(last, last.size()) != nullptr);
  CHECK(usualAfter(last, last.size())->module == "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  CHECK(usualAfter(last, last.size())->module == "Net.c");
  CHECK(usualAfter(last, last.size())->group == "tp");
  CHECK(usualAfter(last, 3) == nullptr);
  CHECK(usualAfter(last, 0) == nullptr);
}

TEST_CASE("a rank that made the call after the usual one left the usual one out") {
  HangJob job = steadyRank();
  const LastCollective usual = job.report(0).last[2]; // Net.c
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.issue(0, Kind::kAllReduce, "Net.d");
  CHECK(hasLeftOut(job.report(0).last, usual));
  CHECK_FALSE(hasLeftOut(job.report(0).last, job.report(0).last[1]));
  job.report(0).last.back().module = "Net.new";
  CHECK_FALSE(hasLeftOut(job.report(0).last, usual));
  CHECK_FALSE(hasLeftOut({}, usual));
}

} // namespace
} // namespace commtap
