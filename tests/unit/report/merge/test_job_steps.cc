// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

Step step(uint64_t first, uint64_t steps, uint64_t took, uint64_t calls) {
  return {first, steps, 1000, 1000 + took, 1, 1, {{Kind::kAllReduce, "0", calls, calls * 100}}};
}

JobReport taken(const JobSteps& steps) {
  JobReport job;
  steps.take(job);
  return job;
}

TEST_CASE("durations and amounts are spread over ranks, with the slowest rank") {
  JobSteps steps;
  const std::vector<uint32_t> groups = {3};
  steps.add(std::vector<Step>{step(0, 1, 50, 2)}, groups);
  steps.endRank(0);
  steps.add(std::vector<Step>{step(0, 1, 70, 4)}, groups);
  steps.endRank(1);
  const std::vector<JobStep> all = taken(steps).steps;
  REQUIRE(all.size() == 1);
  CHECK(all[0].ranks == 2);
  CHECK(all[0].timed_ranks == 2);
  CHECK(all[0].forward_passes == 1); // the most of any rank
  CHECK(all[0].backward_passes == 1);
  CHECK(all[0].duration_ns.sum == 120);
  CHECK(all[0].duration_ns.min_rank == 0);
  CHECK(all[0].duration_ns.max == 70);
  CHECK(all[0].duration_ns.max_rank == 1);
  REQUIRE(all[0].collectives.size() == 1);
  CHECK(all[0].collectives[0].group == 3);
  CHECK(all[0].collectives[0].count.sum == 6);
  CHECK(all[0].collectives[0].bytes.max == 400);
}

TEST_CASE("ranks with other sums of steps have rows of their own; a running step has no duration") {
  JobSteps steps;
  Step running = step(4, 1, 0, 1);
  running.ended_at_ns = std::nullopt;
  steps.add(std::vector<Step>{step(0, 4, 40, 1), running}, std::vector<uint32_t>{0, 0});
  steps.endRank(0);
  steps.add(std::vector<Step>{step(0, 2, 20, 1), step(2, 2, 20, 1)}, std::vector<uint32_t>{0, 0});
  steps.endRank(1);
  const std::vector<JobStep> all = taken(steps).steps;
  REQUIRE(all.size() == 4);
  CHECK(all[0].steps == 2);
  CHECK(all[1].steps == 4);
  CHECK(all[2].first_step == 2);
  CHECK(all[3].timed_ranks == 0);
}

TEST_CASE("a rank's processes count with their longest step and the sum of their communication") {
  JobSteps steps;
  steps.add(std::vector<Step>{step(0, 1, 50, 1)}, std::vector<uint32_t>{0});
  steps.add(std::vector<Step>{step(0, 1, 90, 1)}, std::vector<uint32_t>{0});
  steps.endRank(0);
  const std::vector<JobStep> all = taken(steps).steps;
  REQUIRE(all.size() == 1);
  CHECK(all[0].ranks == 1);
  CHECK(all[0].duration_ns.sum == 90);
  CHECK(all[0].backward_passes == 2);
  CHECK(all[0].collectives[0].count.sum == 2);
}

TEST_CASE("training steps are matched by their number, whatever ranks do outside of them") {
  Step trained = step(0, 1, 50, 2);
  trained.training_steps = 1;
  JobSteps steps;
  Step later = trained;
  later.first_step = 3;
  steps.add(std::vector<Step>{step(0, 1, 5, 1), step(1, 2, 7, 1), later}, std::vector<uint32_t>{0, 0, 0});
  steps.endRank(0);
  steps.add(std::vector<Step>{trained, step(1, 1, 0, 0)}, std::vector<uint32_t>{0, 0});
  steps.endRank(1);
  const JobReport job = taken(steps);
  REQUIRE(job.steps.size() == 1);
  CHECK(job.steps[0].first_step == 0);
  CHECK(job.steps[0].ranks == 2);
  CHECK(job.steps[0].training_steps == 1);
  CHECK(job.steps[0].collectives[0].count.sum == 4);
  REQUIRE(job.outside_steps.size() == 2);
  CHECK(job.outside_steps[0].steps == 3); // of the first rank, before its first training step
  CHECK(job.outside_steps[0].duration_ns.sum == 12);
  CHECK(job.outside_steps[0].ranks == 1);
  CHECK(job.outside_steps[1].first_step == 1);
}

} // namespace
} // namespace commtap
