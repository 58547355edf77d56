// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/row_faults.h"

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

} // namespace
} // namespace commtap
