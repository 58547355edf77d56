// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/missing_call.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

/// Two ranks of two groups, after some steps in which each makes a call in each of them.
HangJob steadyJob() {
  HangJob job(2);
  job.addGroup("tp", {0, 1});
  for (int step = 0; step < 3; ++step) {
    for (const int64_t rank : {0, 1}) {
      job.issue(rank, Kind::kAllGather, "Net.a", "tp");
      job.issue(rank, Kind::kAllReduce, "Net.b");
    }
  }
  return job;
}

/// Returns the module of the call that rank 1 has not made; "" if none waits for it.
std::string missingModule(const HangJob& job) {
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const Waits waits = waitsOf(sights, groups);
  const WaitGraph graph(sights, waits, {}, RankState::kNeverCame);
  const std::optional<MissingCall> missing = missingCall({1}, {groups, waits, graph});
  return missing ? missing->call->module : "";
}

TEST_CASE("the missing call is the one that the late rank makes next in a step") {
  HangJob job = steadyJob();
  CHECK(missingModule(job).empty());
  job.issue(0, Kind::kAllReduce, "Net.b"); // the last one decides for what a rank waits
  job.issue(0, Kind::kAllGather, "Net.a", "tp");
  CHECK(missingModule(job) == "Net.a");
}

TEST_CASE("of a rank without a report, the missing call is the one in which the others wait") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.remove(1);
  CHECK(missingModule(job) == "Net.b");
}

} // namespace
} // namespace commtap
