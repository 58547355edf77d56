// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Returns the faults of a job whose Net.a is trained, and whose Net.b is not.
std::vector<FoundFault> faultsWith(const JobFacts& facts) {
  VerifyJob job(2);
  job.addOnAll("Net.a.w", noise(1));
  job.addOnAll("Net.b.w", noise(2));
  job.gradient("Net.a.w", 3);
  job.step(1);
  const ParameterTracks tracks(job.processes());
  return rowFaults(tracks, facts);
}

TEST_CASE("of modules that communicate in the forward only, those that are trained are a note") {
  JobFacts facts;
  facts.one_way = {{"cp", {{0, 1}}, {"Net.a", "Net.a.gather", "Net.b", "Other"}}};
  const std::vector<FoundFault> faults = faultsWith(facts);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.severity == VerifySeverity::kNote);
  CHECK(faults[0].finding.what == VerifyClass::kOneWay);
  CHECK(faults[0].finding.group == "cp");
  CHECK(faults[0].finding.modules == std::vector<std::string>{"Net.a", "Net.a.gather"});
  CHECK(faults[0].parts == RankParts{{0, 1}});
  facts.one_way[0].modules = {"Net.b"};
  CHECK(faultsWith(facts).empty());
}

TEST_CASE("gradients that are reduced in a group of one rank are a note") {
  JobFacts facts;
  facts.lone_reductions = "mesh_shard";
  const std::vector<FoundFault> faults = faultsWith(facts);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kLoneReductions);
  CHECK(faults[0].parts == RankParts{{0, 1}});
}

TEST_CASE("reductions that stop are a warning with their steps") {
  JobFacts facts;
  facts.stopped = {{Kind::kReduceScatter, "dp", {{2, 3}, {0, 1}}, 4, 8}};
  const std::vector<FoundFault> faults = faultsWith(facts);
  REQUIRE(faults.size() == 1);
  const VerifyFinding& finding = faults[0].finding;
  CHECK(finding.severity == VerifySeverity::kWarning);
  CHECK(finding.what == VerifyClass::kReductionsStop);
  CHECK(finding.before == 4);
  CHECK(finding.step == 5);
  CHECK(finding.last_step == 8);
  CHECK(faults[0].parts == RankParts{{0, 1, 2, 3}});
}

/// Samples a step on a rank, after so many collectives of the group.
void sample(VerifyJob& job, int64_t rank, uint64_t step, uint64_t collectives) {
  job.sample(rank, step);
  job.processes()[static_cast<size_t>(rank)].samples.back().groups = {{"world", collectives}};
}

JobFacts worldOf(uint32_t ranks) {
  JobFacts facts;
  GroupRanks members;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    members.push_back(rank);
  }
  for (const uint32_t rank : members) {
    facts.groups[{rank, "world"}] = {members, "default_pg"};
  }
  return facts;
}

std::vector<FoundFault> faultsOf(VerifyJob& job, uint32_t ranks) {
  const ParameterTracks tracks(job.processes());
  return stepFaults(tracks, worldOf(ranks));
}

TEST_CASE("a rank that is ahead by the collectives of a step, from then on, has skipped a step") {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  for (const uint64_t step : {1, 2, 3, 5, 9}) {
    for (const int64_t rank : {0, 1, 2}) {
      sample(job, rank, step, 10 + 4 * (step + (rank == 1 && step > 3 ? 1 : 0)));
    }
  }
  const std::vector<FoundFault> faults = faultsOf(job, 3);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kSkippedStep);
  CHECK(faults[0].finding.before == 3U);
  CHECK(faults[0].finding.step == 5U);
  CHECK(faults[0].finding.collectives == 4);
  CHECK(faults[0].finding.group == "default_pg");
  CHECK(faults[0].finding.cause_ranks == RankRanges{{1, 1}});
  CHECK(faults[0].parts == RankParts{{0, 2}, {1}});
}

TEST_CASE("ranks that differ from the start, for a moment, or by another number have skipped none") {
  const auto run = [](const auto& extra) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    for (const uint64_t step : {1, 2, 3, 4}) {
      sample(job, 0, step, 4 * step);
      sample(job, 1, step, 4 * step + extra(step));
    }
    return faultsOf(job, 2);
  };
  CHECK(run([](uint64_t) { return 0; }).empty());
  CHECK(run([](uint64_t) { return 4; }).empty());
  CHECK(run([](uint64_t step) { return step == 3 ? 4 : 0; }).empty());
  CHECK(run([](uint64_t step) { return step > 2 ? 3 : 0; }).empty());
  CHECK(run([](uint64_t step) { return step == 3 ? 8 : step == 4 ? 4 : 0; }).empty());
  CHECK(run([](uint64_t step) { return step == 3 ? 4 : step == 4 ? 7 : 0; }).empty());
  CHECK(run([](uint64_t step) { return step > 2 ? 8 : 0; }).size() == 1);
  const std::vector<FoundFault> further = run([](uint64_t step) { return step > 2 ? 4 * (step - 1) : 0; });
  REQUIRE(further.size() == 1);
  CHECK(further[0].finding.collectives == 8);
}

/// Samples four steps of two ranks; rank 1 is ahead by a step from the third on. Returns the faults.
std::vector<FoundFault> faultsOfAhead(bool skips, bool has_equal_moment) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.addOnAll("Net.shard", noise(2));
  job.at(1, "Net.shard").value = noise(3);
  for (uint64_t moment = 1; moment <= 5; ++moment) {
    job.gradient("Net.w", static_cast<uint32_t>(10 + moment));
    for (const int64_t rank : {0, 1}) {
      const bool is_left_out = rank == 1 && moment == 3;
      if (!is_left_out && !(rank == 0 && moment > 3 && !has_equal_moment)) {
        sample(job, rank, rank == 1 && moment > 3 ? moment - 1 : moment, 4 * moment);
      }
      if (!is_left_out || !skips) {
        job.update(rank);
      }
    }
  }
  return faultsOf(job, 2);
}

TEST_CASE("a skipped step is an error in the replicas that differ at one moment, and none if they are equal") {
  const std::vector<FoundFault> faults = faultsOfAhead(true, true);
  REQUIRE(!faults.empty());
  CHECK(faults[0].finding.what == VerifyClass::kSkippedStep);
  CHECK(faults[0].finding.severity == VerifySeverity::kError);
  CHECK(faults[0].parameter == "Net.w");
  CHECK(faults[0].finding.value_distance.value_or(0) > 0);
  for (const FoundFault& fault : faultsOfAhead(false, true)) {
    CHECK(fault.finding.what == VerifyClass::kFewerSteps);
  }
}

TEST_CASE("groups of other ranks are not compared") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (const uint64_t step : {1, 2, 3}) {
    sample(job, 0, step, 4 * step);
    sample(job, 1, step, step > 2 ? 100 : 4 * step);
  }
  JobFacts facts;
  facts.groups = {{{0, "world"}, {{0, 2}, ""}}, {{1, "world"}, {{1, 3}, ""}}};
  const ParameterTracks tracks(job.processes());
  CHECK(stepFaults(tracks, facts).empty());
}

TEST_CASE("a rank whose last sample is of an earlier step is a note") {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  job.step(1);
  job.step(2, {1});
  job.step(3, {1});
  const std::vector<FoundFault> faults = faultsOf(job, 3);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].finding.what == VerifyClass::kFewerSteps);
  CHECK(faults[0].finding.severity == VerifySeverity::kNote);
  CHECK(faults[0].finding.before == 1U);
  CHECK(faults[0].finding.last_step == 3U);
  CHECK(faults[0].finding.cause_ranks == RankRanges{{1, 1}});
}

TEST_CASE("a skipped step of proven replicas is an error if nothing makes them equal again") {
  const auto found = [](bool has_proof, bool broadcasts) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    job.gradient("Net.w", 2, has_proof ? 0 : 1);
    for (const uint64_t step : {1, 2, 5}) {
      sample(job, 0, step, 4 * step);
      sample(job, 1, step, 4 * (step + (step > 2 ? 1 : 0)));
    }
    JobFacts facts = worldOf(2);
    facts.has_rows = true;
    if (broadcasts) {
      facts.refills = {{0, 1}};
    }
    const ParameterTracks tracks(job.processes());
    return stepFaults(tracks, facts);
  };
  const std::vector<FoundFault> proven = found(true, false);
  REQUIRE(proven.size() == 1);
  CHECK(proven[0].finding.severity == VerifySeverity::kError);
  CHECK(proven[0].finding.evidence == ReplicaEvidence::kGradients);
  CHECK(proven[0].parameter == "Net.w");
  CHECK(found(true, true)[0].finding.severity == VerifySeverity::kWarning);
  CHECK(found(false, false)[0].finding.severity == VerifySeverity::kWarning);
}

} // namespace

} // namespace commtap
