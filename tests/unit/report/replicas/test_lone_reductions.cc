// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/lone_reductions.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

JobReport loneJob() {
  JobReport job;
  job.world_size = 2;
  for (const uint32_t size : {1, 2}) {
    JobGroup& group = job.groups.emplace_back();
    group.name = "of_" + std::to_string(size);
    group.size = size;
  }
  JobCollective& row = job.collectives.emplace_back();
  row.kind = Kind::kReduceScatter;
  row.phase = Phase::kBackward;
  row.amount.count.sum = 1;
  row.amount.bytes.sum = 4096;
  job.collectives.push_back(row);
  job.collectives.back().group = 1;
  job.collectives.back().setup = true;
  return job;
}

TEST_CASE("gradients that are reduced in groups of one rank only are found") {
  CHECK(loneReductions(loneJob()) == "of_1");
}

TEST_CASE("one rank, no gradients, or ranks that communicate otherwise are not") {
  JobReport one = loneJob();
  one.world_size = 1;
  CHECK(loneReductions(one).empty());
  JobReport forward = loneJob();
  forward.collectives[0].phase = Phase::kForward;
  CHECK(loneReductions(forward).empty());
  JobReport otherwise = loneJob();
  otherwise.collectives[1].setup = false;
  CHECK(loneReductions(otherwise).empty());
  otherwise.collectives[1].amount.bytes.sum = 4; // a loss that is logged
  CHECK(loneReductions(otherwise) == "of_1");
  CHECK(loneReductions({}).empty());
}

} // namespace
} // namespace commtap
