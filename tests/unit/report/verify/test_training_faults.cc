// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

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

/// Runs steps 1 to 4 and returns the faults.
template <typename Change>
std::vector<FoundFault> faultsOf(VerifyJob& job, const JobFacts& facts, const Change& change) {
  for (uint64_t step = 1; step <= 4; ++step) {
    change(step);
    job.step(step);
  }
  const ParameterTracks tracks(job.processes());
  return trainingFaults(tracks, facts);
}

TEST_CASE("values that never change although they have gradients are stuck") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.addOnAll("Net.well", noise(2));
  job.gradient("Net.well", 3);
  const auto stuck = faultsOf(job, {}, [&job](uint64_t step) {
    job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.value = noise(1); });
    job.gradient("Net.w", static_cast<uint32_t>(step));
  });
  REQUIRE(stuck.size() == 1);
  CHECK(stuck[0].parameter == "Net.w");
  CHECK(stuck[0].finding.what == VerifyClass::kStuck);
  CHECK(stuck[0].parts == RankParts{{0, 1}});
}

TEST_CASE("values that change on one rank, after a learning rate of zero, or have tiny gradients are not stuck") {
  VerifyJob one(2);
  one.addOnAll("Net.w", noise(1));
  CHECK(faultsOf(one, {}, [&one](uint64_t step) {
          one.at(0, "Net.w").value = noise(1);
          one.gradient("Net.w", static_cast<uint32_t>(step));
        }).empty());
  VerifyJob tiny(1);
  tiny.addOnAll("Net.w", noise(1));
  tiny.addOnAll("Net.large", noise(1));
  tiny.gradient("Net.large", 3);
  CHECK(
      faultsOf(tiny, {}, [&tiny](uint64_t) { tiny.at(0, "Net.w").gradient = std::vector<float>(64, 1e-8F); }).empty());
  VerifyJob warm_up(1);
  warm_up.addOnAll("Net.w", noise(1));
  CHECK(faultsOf(warm_up, {}, [&warm_up](uint64_t step) {
          warm_up.at(0, "Net.w").value = noise(step < 4 ? 1 : 2);
          warm_up.gradient("Net.w", static_cast<uint32_t>(step));
        }).empty());
}

TEST_CASE("a parameter that never has a gradient on any rank is a note, all of an optimizer's are a warning") {
  for (const bool has_trained : {true, false}) {
    VerifyJob job(2);
    job.addOnAll("Net.unused", noise(1));
    job.addOnAll("Net.zeros", noise(2));
    job.onAll("Net.zeros", [](VerifyJob::MadeParameter& made, int64_t) { made.gradient = std::vector<float>(64); });
    if (has_trained) {
      job.addOnAll("Net.w", noise(3));
      job.gradient("Net.w", 4);
    }
    const auto faults = faultsOf(job, {}, [](uint64_t) {});
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].finding.what == VerifyClass::kNoGradient);
    CHECK(faults[0].finding.severity == (has_trained ? VerifySeverity::kNote : VerifySeverity::kWarning));
  }
}

TEST_CASE("a parameter that changes without a gradient is trained by other means, one with zeros by its decay") {
  for (const bool has_zeros : {false, true}) {
    VerifyJob job(2);
    job.addOnAll("Net.table", noise(1));
    const auto faults = faultsOf(job, {}, [&](uint64_t step) {
      job.onAll("Net.table", [&](VerifyJob::MadeParameter& made, int64_t) {
        made.value = noise(static_cast<uint32_t>(step));
        if (has_zeros) {
          made.gradient = std::vector<float>(64);
        }
      });
    });
    CHECK(faults.size() == (has_zeros ? 1 : 0));
  }
}

TEST_CASE("a parameter without a gradient on some ranks is a warning, unless these may do without") {
  const auto run = [](const JobFacts& facts, const auto& change) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    return faultsOf(job, facts, [&](uint64_t step) {
      job.at(0, "Net.w").gradient = noise(static_cast<uint32_t>(step));
      change(job);
    });
  };
  const auto found = run({}, [](VerifyJob&) {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].finding.severity == VerifySeverity::kWarning);
  CHECK(found[0].finding.cause_ranks == RankRanges{{1, 1}});
  JobFacts stages;
  stages.messages = {{0, 1}};
  CHECK(run(stages, [](VerifyJob&) {}).empty());
  JobFacts experts;
  experts.all_to_all_modules = {"Net"};
  CHECK(run(experts, [](VerifyJob&) {}).empty());
  CHECK(run({}, [](VerifyJob& job) { job.at(1, "Net.w").gradient = std::vector<float>(64); }).empty());
  CHECK(run({}, [](VerifyJob& job) { job.at(1, "Net.w").value[0] += 1; }).empty()); // as ZeRO's owner updates it
  CHECK(run({}, [](VerifyJob& job) { job.at(1, "Net.w").facts.local_shape = {0}; }).empty());
  CHECK(run({}, [](VerifyJob& job) { job.at(1, "Net.w").facts.requires_grad = false; }).empty());
}

TEST_CASE("a parameter that ranks left to no optimizer is stuck, next to those that they share out") {
  const auto found = [](bool is_shared_out, const std::string& dtype) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    job.addOnAll("Net.nobody", noise(2));
    job.gradient("Net.w", 4);
    job.at(1, "Net.w").facts.is_in_optimizer = !is_shared_out;
    job.onAll("Net.nobody", [&dtype](VerifyJob::MadeParameter& made, int64_t) {
      made.facts.is_in_optimizer = false;
      made.facts.dtype = dtype;
    });
    return faultsOf(job, {}, [&job](uint64_t step) {
      job.onAll("Net.nobody", [](VerifyJob::MadeParameter& made, int64_t) { made.value = noise(2); });
      job.gradient("Net.nobody", static_cast<uint32_t>(10 + step));
    });
  };
  const std::vector<FoundFault> stuck = found(true, "float32");
  REQUIRE(stuck.size() == 1);
  CHECK(stuck[0].parameter == "Net.nobody");
  CHECK(stuck[0].finding.what == VerifyClass::kStuck);
  CHECK(stuck[0].finding.severity == VerifySeverity::kWarning);
  const std::vector<FoundFault> left_out = found(false, "float32"); // perhaps only a part is to be trained
  REQUIRE(left_out.size() == 1);
  CHECK(left_out[0].finding.severity == VerifySeverity::kNote);
  CHECK(found(true, "bfloat16").empty()); // its float32 copy may change
}

} // namespace

} // namespace commtap
