// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/stopped_reductions.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Returns a job of so many steps, of which the first ones reduce in their backward pass, and one more that is cut.
JobReport jobWith(uint64_t steps, uint64_t with_reductions) {
  JobReport job;
  JobGroup& group = job.groups.emplace_back();
  group.name = "mesh_dp";
  group.members = {{0, 1}};
  JobCollective& row = job.collectives.emplace_back();
  row.kind = Kind::kReduceScatter;
  row.phase = Phase::kBackward;
  for (uint64_t number = 0; number <= steps; ++number) {
    JobStep& step = job.steps.emplace_back();
    step.first_step = number;
    step.ranks = 2;
    step.collectives.push_back({Kind::kAllGather, 0, 2, {}, {}, {}, {}});
    if (number < with_reductions) {
      step.collectives.push_back({Kind::kReduceScatter, 0, 2, {}, {}, {}, {}});
    }
  }
  return job;
}

TEST_CASE("reductions that stop for the rest of a job are found") {
  const std::vector<StoppedReductions> stops = stoppedReductions(jobWith(8, 4));
  REQUIRE(stops.size() == 1);
  CHECK(stops[0].kind == Kind::kReduceScatter);
  CHECK(stops[0].group == "mesh_dp");
  CHECK(stops[0].members == std::vector<std::vector<uint32_t>>{{0, 1}});
  CHECK(stops[0].last_step == 4);
  CHECK(stops[0].end_step == 8);
}

TEST_CASE("reductions that go on, or are few, or end with the job, do not stop") {
  CHECK(stoppedReductions(jobWith(8, 9)).empty());
  CHECK(stoppedReductions(jobWith(8, 2)).empty());
  CHECK(stoppedReductions(jobWith(8, 6)).empty());
  CHECK(stoppedReductions({}).empty());
  JobReport again = jobWith(8, 4);
  again.steps.back().collectives.push_back({Kind::kReduceScatter, 0, 2, {}, {}, {}, {}});
  CHECK(stoppedReductions(again).empty());
}

TEST_CASE("a group that also reduces outside of backward passes does not count") {
  JobReport job = jobWith(8, 4);
  job.collectives.push_back(job.collectives.front());
  job.collectives.back().phase = Phase::kForward;
  CHECK(stoppedReductions(job).empty());
  job.collectives.back().setup = true;
  CHECK(stoppedReductions(job).size() == 1);
}

TEST_CASE("rows of steps that differ between ranks are not read") {
  JobReport job = jobWith(8, 4);
  job.steps[3].ranks = 1;
  CHECK(stoppedReductions(job).empty());
  JobReport overlapping = jobWith(8, 4);
  overlapping.steps[2].steps = 2;
  CHECK(stoppedReductions(overlapping).empty());
}

} // namespace
} // namespace commtap
