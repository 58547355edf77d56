// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/job_samples.h"
#include "tests/unit/report/job/full_job.h"

namespace commtap {
namespace {

using nlohmann::json;

TEST_CASE("a job report survives a JSON round trip") {
  const JobReport job = fullJob();
  CHECK(json::parse(jobReportToJson(job))["members"].size() == 2);
  CHECK(job.disagreements_found == 3);
  const std::string text = jobReportToJson(job);
  const Result<JobReport> back = jobReportFromJson(text);
  REQUIRE(back);
  JobReport again = *back;
  CHECK(again.problems[0] == "x.json: no \xef\xbf\xbd");
  CHECK(jobReportToJson(again) == text);
  CHECK(again.argv == std::vector<std::string>{"python", "train.py", "--name=a b"});
  CHECK(again.processes[0].last_activity_ns == job.processes[0].last_activity_ns);
  CHECK(again.collectives.size() == job.collectives.size());
  CHECK(again.modules[2].depth == job.modules[2].depth);
  REQUIRE(again.steps.size() == 2);
  CHECK(again.steps[0].ranks == 2);
  CHECK(again.steps[0].timed_ranks == 1);
  CHECK(again.steps[0].duration_ns.max == 500);
  CHECK(again.steps[0].collectives.size() == 1);
  CHECK(again.steps[1].timed_ranks == 0);
  REQUIRE(again.nccl);
  CHECK(again.nccl->versions[0].ranks == RankRanges{{0, 1}});
  CHECK(again.nccl->calls[0].calls.count.max_rank == 1);
  CHECK(again.nccl->calls[1].calls.failed.sum == 2);
  CHECK(again.disagreements[0].what == Disagreement::What::kOrder);
  CHECK(again.disagreements[0].sequence == 9);
  CHECK(again.disagreements[0].values[1].bytes == 8);
  CHECK(again.disagreements[0].values[1].call->op == "c10d.broadcast_");
  CHECK(again.disagreements[1].values.size() == job.disagreements[1].values.size());
}

TEST_CASE("rows take one line each; whole numbers have no fraction, means have one") {
  const std::string text = jobReportToJson(fullJob());
  CHECK(text.starts_with("{\n  \"schema\": \"commtap.job/2\",\n  \"job\": {\"run_id\""));
  CHECK(text.find("\"mean\":3.6666666666666665") != std::string::npos);
  CHECK(text.find(".0,") == std::string::npos);
}

TEST_CASE("a job without NCCL calls has no NCCL section") {
  CHECK(jobReportToJson(sampleJob()).find("nccl") == std::string::npos);
}

} // namespace
} // namespace commtap
