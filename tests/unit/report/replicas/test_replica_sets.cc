// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_sets.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

using Ranks = std::vector<int64_t>;

Ranks ranksOf(const RankTracks& members) {
  Ranks ranks;
  for (const RankTrack* member : members) {
    ranks.push_back(member->rank);
  }
  return ranks;
}

/// The sets of the only parameter of a job, which was sampled once.
struct Sets {
  ParameterTracks tracks;
  std::vector<ReplicaSet> sets;

  explicit Sets(VerifyJob& job, const JobFacts& facts = {}) : tracks(sampled(job)) {
    sets = replicaSetsOf(tracks.all().at(0), facts);
  }
  static std::vector<ProcessSamples>& sampled(VerifyJob& job) {
    job.step(1);
    return job.processes();
  }
};

TEST_CASE("without a declaration, ranks with equal values at the start are a set") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.at(3, "Net.w").value = noise(2);
  const Sets found(job);
  REQUIRE(found.sets.size() == 1);
  CHECK(ranksOf(found.sets[0].members) == Ranks{0, 1, 2});
  CHECK(found.sets[0].evidence == ReplicaEvidence::kStart);
  CHECK_FALSE(found.sets[0].isDeclared());
  CHECK_FALSE(found.sets[0].is_constant);
}

TEST_CASE("one place on the sharded dimensions of one mesh declares replicas") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.facts.mesh = R"({"ranks":[0,1,2,3]})";
    made.facts.placements = {"Replicate()", "Shard(dim=0)"};
    made.facts.coordinate = {rank / 2, rank % 2};
    made.value = noise(static_cast<uint32_t>(rank % 2));
  });
  const Sets found(job);
  REQUIRE(found.sets.size() == 2);
  CHECK(ranksOf(found.sets[0].members) == Ranks{0, 2});
  CHECK(ranksOf(found.sets[1].members) == Ranks{1, 3});
  CHECK(found.sets[0].evidence == ReplicaEvidence::kMesh);
  CHECK(isDeclaredShard(*found.sets[0].members[0]->facts));
}

TEST_CASE("two meshes declare nothing of each other, and equal values join them") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.facts.mesh = rank == 0 ? R"({"ranks":[0]})" : R"({"ranks":[1]})";
    made.facts.placements = {"Replicate()"};
  });
  const Sets found(job);
  REQUIRE(found.sets.size() == 1);
  CHECK(found.sets[0].evidence == ReplicaEvidence::kStart);
  VerifyJob unknown(2);
  unknown.addOnAll("Net.w", noise(1));
  unknown.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) {
    made.facts.mesh = R"({"dim_names":null,"shape":[2],"ranks":null})";
    made.facts.placements = {"Replicate()"};
  });
  CHECK(Sets(unknown).sets.at(0).evidence == ReplicaEvidence::kStart);
}

TEST_CASE("Megatron's attributes declare replicas within the tensor parallel group alone") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.tensor_model_parallel = false; });
  JobFacts facts;
  facts.tensor_groups = {{0, 1}, {2, 3}};
  const Sets found(job, facts);
  REQUIRE(found.sets.size() == 3);
  CHECK(ranksOf(found.sets[0].members) == Ranks{0, 1});
  CHECK(found.sets[0].evidence == ReplicaEvidence::kTensorParallel);
  CHECK(ranksOf(found.sets[1].members) == Ranks{2, 3});
  CHECK(ranksOf(found.sets[2].members) == Ranks{0, 1, 2, 3});
  CHECK(found.sets[2].declared.size() == 2);
  VerifyJob without_groups(2);
  without_groups.addOnAll("Net.w", noise(1));
  without_groups.at(0, "Net.w").facts.sequence_parallel = true;
  without_groups.at(1, "Net.w").facts.sequence_parallel = true;
  CHECK(Sets(without_groups).sets.at(0).evidence == ReplicaEvidence::kStart);
}

TEST_CASE("tensor parallel shards are compared with the same part of another group") {
  VerifyJob job(4);
  job.addOnAll("Net.b", std::vector<float>(8));
  job.onAll("Net.b", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.tensor_model_parallel = true; });
  JobFacts facts;
  facts.tensor_groups = {{0, 1}, {2, 3}};
  const Sets found(job, facts);
  REQUIRE(found.sets.size() == 2);
  CHECK(ranksOf(found.sets[0].members) == Ranks{0, 2});
  CHECK(ranksOf(found.sets[1].members) == Ranks{1, 3});
  VerifyJob again(2);
  again.addOnAll("Net.b", std::vector<float>(8));
  again.onAll("Net.b", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.tensor_model_parallel = true; });
  CHECK(Sets(again).sets.empty());
}

TEST_CASE("a DistributedDataParallel declares replicas, also those that differ at the start") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.facts.ddp_ranks = {0, 1};
    made.value = noise(static_cast<uint32_t>(rank));
  });
  const Sets found(job);
  REQUIRE(found.sets.size() == 1);
  CHECK(found.sets[0].evidence == ReplicaEvidence::kDdp);
}

TEST_CASE("equal flat parameters of FSDP1 are replicas, constant ones are not") {
  VerifyJob job(2);
  job.addOnAll("Net.flat", noise(1));
  job.onAll("Net.flat", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.is_fsdp1_flat = true; });
  CHECK(Sets(job).sets.at(0).evidence == ReplicaEvidence::kFlatParameter);
  VerifyJob constant(2);
  constant.addOnAll("Net.flat", std::vector<float>(8));
  constant.onAll("Net.flat", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.is_fsdp1_flat = true; });
  const Sets found(constant);
  REQUIRE(found.sets.size() == 1);
  CHECK(found.sets[0].evidence == ReplicaEvidence::kStart);
  CHECK(found.sets[0].is_constant);
}

TEST_CASE("nothing is compared of other shapes, partial values, empty shards and constants without a name") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.at(1, "Net.w").facts.local_shape = {8, 8};
  CHECK(Sets(job).sets.empty());
  for (const auto change : {
           +[](SampledParameter& facts) { facts.placements = {"Partial(sum)"}; },
           +[](SampledParameter& facts) {
             facts.local_shape = {0, 64};
           },
           +[](SampledParameter& facts) { facts.has_model_name = false; },
       }) {
    VerifyJob other(2);
    other.addOnAll("Net.w", std::vector<float>(64, 1));
    other.onAll("Net.w", [&](VerifyJob::MadeParameter& made, int64_t) { change(made.facts); });
    CHECK(Sets(other).sets.empty());
  }
}

TEST_CASE("ranks start where most of them have a sample, those without one there are compared among themselves") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.at(2, "Net.w").value = job.at(3, "Net.w").value = noise(2);
  job.sample(0, 1);
  job.sample(0, 2);
  job.sample(1, 2);
  job.sample(2, 3);
  job.sample(3, 3);
  const ParameterTracks tracks(job.processes());
  const std::vector<ReplicaSet> sets = replicaSetsOf(tracks.all()[0], {});
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].members.front()->rank == 0);
  CHECK(sets[0].members.back()->rank == 1);
  CHECK(sets[0].start == 1);
  CHECK(sets[1].members.front()->rank == 2);
  CHECK(sets[1].start == 2);
}

RankTracks tracksOf(const ParameterTrack& track, const std::vector<int64_t>& ranks) {
  RankTracks members;
  for (const int64_t rank : ranks) {
    members.push_back(track.of(rank));
  }
  return members;
}

TEST_CASE("parts know how many parameters stay in step across them, and how many go apart") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  job.step(1);
  const ParameterTracks tracks(job.processes());
  const ParameterTrack& track = tracks.all()[0];
  JobFacts facts;
  facts.messages = {{0, 2}};
  RankPartsFacts parts(tracks, facts);
  parts.addInStep(tracksOf(track, {0, 1}));
  parts.addInStep(tracksOf(track, {0, 1, 2, 3}));
  parts.addSplit({tracksOf(track, {0, 1}), tracksOf(track, {2, 3})});
  parts.addSplit({tracksOf(track, {0}), tracksOf(track, {1})});
  const PartsFacts& stages = parts.of({{0, 1}, {2, 3}});
  CHECK(stages.in_step == 1);
  CHECK(stages.split == 1);
  CHECK(stages.has_messages);
  CHECK_FALSE(stages.others_differ);
  const PartsFacts& pair = parts.of({{0}, {1}});
  CHECK(pair.in_step == 2);
  CHECK(pair.split == 1);
  CHECK_FALSE(pair.has_messages);
}

TEST_CASE("ranks start differently if a parameter that both can have does, constants and shards aside") {
  VerifyJob job(2);
  job.addOnAll("Net.same", noise(1));
  job.addOnAll("Net.ones", std::vector<float>(4, 1));
  job.at(1, "Net.ones").value = std::vector<float>(4, 2);
  job.addOnAll("Net.shard", noise(2));
  job.at(1, "Net.shard").value = noise(3);
  job.onAll("Net.shard", [](VerifyJob::MadeParameter& made, int64_t) { made.facts.tensor_model_parallel = true; });
  job.addOnAll("Net.head.w", noise(4));
  for (const bool differs : {false, true}) {
    job.at(1, "Net.head.w").value = noise(differs ? 5 : 4);
    job.processes()[0].samples.clear();
    job.processes()[1].samples.clear();
    job.step(1);
    const ParameterTracks tracks(job.processes());
    const JobFacts facts;
    RankPartsFacts parts(tracks, facts);
    CHECK(parts.of({{0}, {1}}).others_differ == differs);
    CHECK(parts.startsDiffer(0, 1, "Net.head") == differs);
    CHECK_FALSE(parts.startsDiffer(0, 1, "Net.same"));
  }
}

TEST_CASE("ranks with different shards of a parameter share a model") {
  for (const int64_t place : {0, 1}) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    job.onAll("Net.w", [place](VerifyJob::MadeParameter& made, int64_t rank) {
      made.facts.placements = {"Shard(dim=0)"};
      made.facts.coordinate = {rank * place};
    });
    job.step(1);
    const ParameterTracks tracks(job.processes());
    const JobFacts facts;
    RankPartsFacts parts(tracks, facts);
    CHECK(parts.of({{0}, {1}}).has_shards == (place == 1));
  }
}

} // namespace

} // namespace commtap
