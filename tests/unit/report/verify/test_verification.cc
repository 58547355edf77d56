// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/verification.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/json/row_write.h"
#include "report/verify/verification_columns.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

TEST_CASE("the JSON of a verification has all fields, null for what is not known") {
  Verification result;
  result.ranks = {{0, 3}};
  result.findings.emplace_back().sets = {{{{0, 1}}, {{{0, 0}}, {{1, 1}}}}};
  std::string text;
  appendRow(text, result, ReportContext{});
  const nlohmann::json json = nlohmann::json::parse(text);
  CHECK(json["schema"] == "commtap.verify/1");
  CHECK(json["status"] == "nothing_to_compare");
  CHECK(json["ranks"] == "0-3");
  CHECK(json["first_step"].is_null());
  CHECK(json["findings"][0]["class"] == "rounding");
  CHECK(json["findings"][0]["step"].is_null());
  CHECK(json["findings"][0]["sets"][0]["ranks"] == "0-1");
  CHECK(json["findings"][0]["sets"][0]["parts"][1] == "1");
}

TEST_CASE("data parallel replicas that stay in step are well") {
  VerifyJob job(3);
  job.addOnAll("Net.w", noise(1));
  for (uint64_t step = 1; step <= 3; ++step) {
    job.gradient("Net.w", static_cast<uint32_t>(step));
    job.step(step);
  }
  const Verification result = verify(job.processes(), {});
  CHECK(result.status == VerifyStatus::kOk);
  CHECK(result.findings.empty());
  CHECK(result.run_id == "made-up");
  CHECK(result.world_size == 3);
  CHECK(result.ranks == RankRanges{{0, 2}});
  CHECK(result.samples == 3);
  CHECK(result.first_step == 1U);
  CHECK(result.last_step == 3U);
  CHECK(result.parameters == 1);
  CHECK(result.replicated == 1);
  CHECK(result.equal == 1);
  REQUIRE(result.replicas.size() == 1);
  CHECK(result.replicas[0].ranks == RankRanges{{0, 2}});
}

TEST_CASE("shards that each exist once are nothing to compare") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.value = noise(static_cast<uint32_t>(rank));
    made.facts.placements = {"Shard(dim=0)"};
    made.facts.mesh = "{}";
    made.facts.coordinate = {rank};
  });
  job.step(1);
  const Verification result = verify(job.processes(), {});
  CHECK(result.status == VerifyStatus::kNothingToCompare);
  CHECK(result.sharded == 1);
  CHECK(result.replicated == 0);
}

TEST_CASE("no samples are nothing to compare") {
  CHECK(verify({}, {}).status == VerifyStatus::kNothingToCompare);
}

TEST_CASE("an error makes the run wrong, a warning suspect") {
  VerifyJob suspect(2);
  suspect.addOnAll("Net.w", noise(1));
  suspect.gradient("Net.w", 2, 1);
  suspect.step(1);
  suspect.step(2);
  CHECK(verify(suspect.processes(), {}).status == VerifyStatus::kSuspect);
  VerifyJob wrong(2);
  wrong.addOnAll("Net.w", noise(1));
  wrong.gradient("Net.w", 2);
  wrong.step(1);
  wrong.at(1, "Net.w").value = noise(5);
  wrong.step(2);
  const Verification result = verify(wrong.processes(), {});
  CHECK(result.status == VerifyStatus::kWrong);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].what == VerifyClass::kSameGradient);
  CHECK(result.findings[0].parameters == std::vector<std::string>{"Net.w"});
  CHECK(result.replicated == 1);
  CHECK(result.equal == 0);
}

/// Runs four steps of two ranks, of which rank 1 leaves out the update of the second.
VerifyJob jobThatSkips(bool has_replicas) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  if (!has_replicas) {
    job.at(1, "Net.w").value = noise(2);
  }
  uint64_t own = 0;
  for (uint64_t step = 1; step <= 4; ++step) {
    job.gradient("Net.w", static_cast<uint32_t>(step), has_replicas ? 0 : 1);
    own += step == 3 ? 2 : 1; // rank 1 goes on as if it had made the step
    for (const int64_t rank : {0, 1}) {
      job.sample(rank, step);
      job.processes()[static_cast<size_t>(rank)].samples.back().groups = {{"world", 3 * (rank == 0 ? step : own)}};
      job.update(rank);
    }
    if (step == 2 && has_replicas) {
      job.at(1, "Net.w").value = noise(7);
    }
  }
  return job;
}

TEST_CASE("a skipped step is the finding, not the values that follow from it") {
  JobFacts facts;
  facts.groups = {{{0, "world"}, {{0, 1}, "default_pg"}}, {{1, "world"}, {{0, 1}, "default_pg"}}};
  VerifyJob job = jobThatSkips(true);
  const Verification result = verify(job.processes(), facts);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.status == VerifyStatus::kWrong);
  CHECK(result.findings[0].what == VerifyClass::kSkippedStep);
  CHECK(result.findings[0].step == 3U);
  CHECK(result.findings[0].parameters == std::vector<std::string>{"Net.w"});
  CHECK(result.findings[0].cause_ranks == RankRanges{{1, 1}});
  CHECK(result.findings[0].value_distance);
}

TEST_CASE("a skipped step that no values of replicas show is a warning") {
  JobFacts facts;
  facts.groups = {{{0, "world"}, {{0, 1}, "default_pg"}}, {{1, "world"}, {{0, 1}, "default_pg"}}};
  VerifyJob job = jobThatSkips(false);
  const Verification result = verify(job.processes(), facts);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.status == VerifyStatus::kSuspect);
  CHECK(result.findings[0].what == VerifyClass::kSkippedStep);
  CHECK(result.findings[0].parameters.empty());
}

TEST_CASE("experts next to a dispatcher without parameters are below its parent") {
  VerifyJob job(2);
  job.addOnAll("Net.moe.expert.w", noise(1));
  job.gradient("Net.moe.expert.w", 2, 1);
  job.addOnAll("Net.w", noise(3));
  job.gradient("Net.w", 4);
  job.step(1);
  job.step(2);
  JobFacts facts;
  facts.all_to_all_modules = {"Net.moe.dispatcher", "Other.dispatcher"};
  facts.exchanges = {{0, 1}};
  const Verification result = verify(job.processes(), facts);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].what == VerifyClass::kExperts);
  CHECK(verify(job.processes(), {}).findings[0].what == VerifyClass::kUnproven);
}

TEST_CASE("each parameter that went apart is in a count") {
  VerifyJob job(2);
  for (const char* name : {"Net.a", "Net.b"}) {
    job.addOnAll(name, noise(1));
    job.gradient(name, 2, 1);
  }
  job.addOnAll("Net.ones", std::vector<float>(64, 1));
  job.gradient("Net.ones", 4, 1);
  job.step(1);
  job.step(2);
  const Verification result = verify(job.processes(), {});
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].parameters.size() + result.findings[0].later_parameters.size() == result.parameters);
}

TEST_CASE("replicas of shards that went apart are not in the count of shards") {
  for (const bool are_reduced : {true, false}) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t) {
      made.facts.placements = {"Shard(dim=0)"};
      made.facts.coordinate = {0};
    });
    job.gradient("Net.w", 2, are_reduced ? 0 : 1);
    job.step(1);
    job.step(2);
    const Verification result = verify(job.processes(), {});
    CHECK(result.sharded == 0);
    CHECK(result.replicated == (are_reduced ? 1 : 0));
    CHECK(result.findings.size() == (are_reduced ? 0 : 1));
  }
}

} // namespace
} // namespace commtap
