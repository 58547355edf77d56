// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/shard_faults.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

std::vector<FoundFault> faultsOf(VerifyJob& job, const JobFacts& facts = {}) {
  job.step(1);
  const ParameterTracks tracks(job.processes());
  return shardFaults(tracks, facts);
}

/// Adds a parameter that is sharded over all ranks, with values by `seed` of the rank.
template <typename Seed>
void addShard(VerifyJob& job, const std::string& name, const Seed& seed) {
  job.addOnAll(name, noise(1));
  job.onAll(name, [&](VerifyJob::MadeParameter& made, int64_t rank) {
    made.value = noise(static_cast<uint32_t>(seed(rank)));
    made.facts.mesh = "{}";
    made.facts.placements = {"Shard(dim=0)"};
    made.facts.coordinate = {rank};
  });
}

TEST_CASE("shards of a mesh that are all equal are twins") {
  VerifyJob job(3);
  addShard(job, "Net.w", [](int64_t) { return 7; });
  const std::vector<FoundFault> faults = faultsOf(job);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kTwinShards);
  CHECK(faults[0].finding.severity == VerifySeverity::kWarning);
  CHECK(faults[0].parts == RankParts{{0, 1, 2}});
}

TEST_CASE("shards of which two are equal, or few parameters' are, or that are constant, are no twins") {
  VerifyJob two(3);
  addShard(two, "Net.w", [](int64_t rank) { return rank / 2; });
  CHECK(faultsOf(two).empty());
  VerifyJob few(2);
  addShard(few, "Net.repeated", [](int64_t) { return 7; });
  addShard(few, "Net.a", [](int64_t rank) { return rank; });
  addShard(few, "Net.b", [](int64_t rank) { return rank; });
  CHECK(faultsOf(few).empty());
  VerifyJob constant(2);
  addShard(constant, "Net.w", [](int64_t) { return 7; });
  constant.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.value.assign(64, 1); });
  CHECK(faultsOf(constant).empty());
}

TEST_CASE("on a mesh of two dimensions, replicas are no twins, and equal shards of one dimension are") {
  for (const bool is_twin : {false, true}) {
    VerifyJob job(4);
    addShard(job, "Net.w", [is_twin](int64_t rank) { return is_twin ? 0 : rank % 2; });
    job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
      made.facts.placements = {"Replicate()", "Shard(dim=0)"};
      made.facts.coordinate = {rank / 2, rank % 2};
    });
    CHECK(faultsOf(job).size() == (is_twin ? 1 : 0));
  }
}

TEST_CASE("tensor parallel shards by Megatron's attribute are twins within their group alone") {
  for (const bool is_twin : {false, true}) {
    VerifyJob job(4);
    job.addOnAll("Net.w", noise(1));
    job.onAll("Net.w", [is_twin](VerifyJob::MadeParameter& made, int64_t rank) {
      made.facts.tensor_model_parallel = true;
      made.value = noise(static_cast<uint32_t>(is_twin ? rank / 2 : rank % 2));
    });
    JobFacts facts;
    facts.tensor_groups = {{0, 1}, {2, 3}};
    CHECK(faultsOf(job, facts).size() == (is_twin ? 2 : 0));
  }
  VerifyJob alone(2); // replicas of data parallelism, in tensor parallel groups of one rank
  alone.addOnAll("Net.w", noise(1));
  alone.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.tensor_model_parallel = true; });
  CHECK(faultsOf(alone).empty());
}

} // namespace
} // namespace commtap
