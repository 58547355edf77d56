// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_means.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Returns a job of two ranks with one row in set-up and one that is not.
JobReport jobWithSetup(uint64_t steps) {
  JobReport job;
  job.ranks = {{0, 1}};
  for (const bool setup : {true, false}) {
    JobCollective row;
    row.setup = setup;
    row.amount.count.sum = 10;
    row.amount.bytes.sum = 4096;
    job.collectives.push_back(row);
  }
  if (steps > 0) {
    job.steps.push_back(
        {.first_step = 0, .steps = steps, .ranks = 2, .timed_ranks = 2, .duration_ns = {}, .collectives = {}});
  }
  return job;
}

TEST_CASE("means are per rank and step, set-up is per rank") {
  const JobReport job = jobWithSetup(5);
  const Means means(job);
  Mean mean;
  means.add(job.collectives[1], mean);
  CHECK(mean.calls == 1);
  CHECK(unitText(means) == "Per rank and step: all but set-up, divided by 2 ranks and 5 steps");
  CHECK(setupText(job, means) == "set-up, before the first forward: 5 calls and 2.00 KiB per rank");
}

TEST_CASE("means of a job without steps are per rank") {
  const JobReport job = jobWithSetup(0);
  const Means means(job);
  Mean mean;
  means.add(job.collectives[1], mean);
  CHECK(mean.bytes == 2048);
  CHECK(unitText(means) == "Per rank: the mean of 2 ranks; the run has no training steps");
  CHECK(setupText(JobReport(), Means(JobReport())).empty());
}

} // namespace
} // namespace commtap
