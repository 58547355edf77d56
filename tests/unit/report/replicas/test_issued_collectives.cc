// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/issued_collectives.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

TEST_CASE("collectives are by group, step and rank; a step that a rank did not sample lacks it") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  const auto sample = [&job](int64_t rank, uint64_t step, uint64_t collectives) {
    job.sample(rank, step);
    job.processes()[static_cast<size_t>(rank)].samples.back().groups = {
        {"world", collectives}, {"alone", 1}, {"unknown", 1}};
  };
  sample(0, 1, 3);
  sample(1, 1, 3);
  sample(0, 2, 6);
  sample(1, 4, 9);
  JobFacts facts;
  for (const int64_t rank : {0, 1}) {
    facts.groups[{rank, "world"}] = {{0, 1}, "default_pg"};
    facts.groups[{rank, "alone"}] = {{static_cast<uint32_t>(rank)}, ""};
  }
  const ParameterTracks tracks(job.processes());
  const auto issued = issuedCollectives(tracks.optimizers().at(0), facts);
  REQUIRE(issued.size() == 1);
  CHECK(issued.begin()->first == GroupKey("world", {{0, 1}, "default_pg"}));
  CHECK(issued.begin()->second == std::vector<Issued>{{{0, 3}, {1, 3}}, {{0, 6}}, {{1, 9}}});
}

} // namespace
} // namespace commtap
