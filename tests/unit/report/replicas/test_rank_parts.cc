// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/rank_parts.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

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
