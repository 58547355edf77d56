// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

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

using Groups = std::vector<SampledGroup>;

JobFacts factsOf(const std::vector<std::string>& groups) {
  JobFacts facts;
  for (const int64_t rank : {0, 1}) {
    for (const std::string& group : groups) {
      facts.groups[{rank, group}] = {{0, 1}, group};
    }
  }
  return facts;
}

/// Samples steps of two ranks after so many collectives, and returns the steps in which rank 1 stands apart.
std::vector<uint64_t> apartIn(const std::vector<Groups>& first, const std::vector<Groups>& second) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (size_t step = 0; step < first.size(); ++step) {
    for (const int64_t rank : {0, 1}) {
      job.sample(rank, step + 1);
      job.processes()[static_cast<size_t>(rank)].samples.back().groups = (rank == 0 ? first : second)[step];
    }
  }
  const std::set<const Sample*> apart = samplesApart(ParameterTracks(job.processes()), factsOf({"world", "other"}));
  std::vector<uint64_t> steps;
  for (const Sample& sample : job.processes()[1].samples) {
    if (apart.contains(&sample)) {
      steps.push_back(sample.step);
    }
  }
  CHECK(apart.size() == steps.size());
  return steps;
}

Groups world(uint64_t collectives) {
  return {{"world", collectives}};
}

using Steps = std::vector<uint64_t>;

TEST_CASE("a rank that has issued as many collectives more as at first is at the same moment") {
  CHECK(apartIn({world(3), world(6), world(9)}, {world(3), world(6), world(9)}).empty());
  CHECK(apartIn({world(3), world(6), world(9)}, {world(4), world(7), world(10)}).empty());
}

TEST_CASE("a rank that is ahead or behind by another number is at another moment") {
  CHECK(apartIn({world(3), world(6), world(9)}, {world(3), world(9), world(9)}) == Steps{2});
  CHECK(apartIn({world(3), world(6), world(9)}, {world(3), world(6), world(8)}) == Steps{3});
}

TEST_CASE("a group that is used at other times, as for checkpoints, shows nothing if another one is in use") {
  const auto both = [](uint64_t collectives, uint64_t others) {
    return Groups{{"world", collectives}, {"other", others}};
  };
  CHECK(apartIn({both(3, 1), both(6, 1)}, {both(3, 1), both(6, 2)}).empty());
  CHECK(apartIn({both(3, 1), both(6, 1)}, {both(3, 1), both(9, 1)}) == Steps{2});
}

TEST_CASE("ranks that left out a step together are apart from the others, though they are together") {
  VerifyJob job(4);
  job.addOnAll("Net.w", noise(1));
  JobFacts facts;
  for (const int64_t rank : {0, 1, 2, 3}) {
    const auto line = static_cast<uint32_t>(rank / 2 * 2);
    const auto column = static_cast<uint32_t>(rank % 2);
    facts.groups[{rank, "shard"}] = {{line, line + 1}, "shard"};
    facts.groups[{rank, "replicate"}] = {{column, column + 2}, "replicate"};
    for (const uint64_t step : {1, 2, 3}) {
      job.sample(rank, step);
      const uint64_t moment = step + (rank > 1 && step > 1 ? 1 : 0);
      job.processes()[static_cast<size_t>(rank)].samples.back().groups = {{"shard", 2 * moment}, {"replicate", moment}};
    }
  }
  std::set<const Sample*> expected;
  for (const int64_t rank : {2, 3}) {
    const std::vector<Sample>& samples = job.processes()[static_cast<size_t>(rank)].samples;
    expected.insert({&samples[1], &samples[2]});
  }
  CHECK(samplesApart(ParameterTracks(job.processes()), facts) == expected);
}

TEST_CASE("groups that no report knows are not compared") {
  CHECK(apartIn({{{"unknown", 3}}, {{"unknown", 6}}}, {{{"unknown", 3}}, {{"unknown", 9}}}).empty());
}

} // namespace

} // namespace commtap
