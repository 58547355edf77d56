// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

using nlohmann::json;

/// Returns a job with rows in every table.
JobReport fullJob() {
  std::vector<Report> reports = sampleReports(3);
  rowOf(reports[1], "DistributedDataParallel.net1", Kind::kAllGather).count = 7;
  Collective send = rowOf(reports[0], "Global", Kind::kBroadcast);
  send.kind = Kind::kSend;
  reports[0].collectives.push_back(send);
  reports[2].job.rank = std::nullopt;
  reports[2].steps.clear();
  reports[0].steps = {{0, 2, 1000, 1500, 2, 2, {{Kind::kAllReduce, reports[0].groups[0].name, 2, 64}}}};
  reports[1].steps = {{0, 2, 1000, std::nullopt, 2, 2, {}}, {2, 1, 2000, std::nullopt, 1, 0, {}}};
  reports[0].not_seen = {{"unknown_op", 2, "a::b", "m"}};
  reports[0].job.world_size = 2;
  addNccl(reports[0], 3);
  addNccl(reports[1], 5);
  for (Report& report : reports) {
    const Collective& row = report.collectives[1];
    report.members = {{1, row.module, row.bytes - 1, 4}, {1, "", 1, {}}};
    report.job.world_size = 2;
    report.groups[0].ranks = {0, 1};
    LastCollective& call = report.last.emplace_back();
    call.group = report.groups[0].name;
    call.sequence = 9;
    call.module = "Net";
    call.op = "c10d.broadcast_";
    call.kind = Kind::kBroadcast;
    call.bytes = report.job.rank == 1 ? 8 : 4;
    call.root = 1;
    call.reduce_op = "sum";
  }
  JobReport job = jobOf(reports);
  job.problems = {"x.json: no \xff"};
  job.argv = {"python", "train.py", "--name=a b"};
  return job;
}

Result<JobReport> withChange(const std::string& pointer, const json& value) {
  json document = json::parse(jobReportToJson(fullJob()));
  document[json::json_pointer(pointer)] = value;
  return jobReportFromJson(document.dump());
}

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
  CHECK(again.disagreements[0].values[1].call->root == 1);
  CHECK(again.disagreements[0].values[1].call->reduce_op == "sum");
  CHECK(again.disagreements[1].values.size() == job.disagreements[1].values.size());
}

TEST_CASE("rows take one line each; whole numbers have no fraction, means have one") {
  const std::string text = jobReportToJson(fullJob());
  CHECK(text.starts_with("{\n  \"schema\": \"commtap.job/2\",\n  \"job\": {\"run_id\""));
  CHECK(text.find("\"mean\":3.6666666666666665") != std::string::npos);
  CHECK(text.find(".0,") == std::string::npos);
}

TEST_CASE("an error names the field and the value found") {
  CHECK(withChange("/job/attempt", "x").error() == "report.job.attempt is \"x\", not an integer");
  CHECK(withChange("/groups/0/size", -1).error() == "report.groups[0].size is -1, not a count");
  CHECK(
      withChange("/collectives/1/group", "gone").error() ==
      "report.collectives[1].group is \"gone\", not a name in groups");
  CHECK(
      withChange("/collectives/1/rank_set", 99).error() ==
      "report.collectives[1].rank_set is 99, not a position in rank_sets");
  CHECK(withChange("/modules/1/parent", 1).error() == "report.modules[1].parent is 1, not a module before it");
  CHECK(withChange("/totals/0/kind", "x").error() == "report.totals[0].kind is \"x\", which is unknown");
  CHECK(
      withChange("/nccl/calls/0/group", "gone").error() ==
      "report.nccl.calls[0].group is \"gone\", not a name in groups");
  CHECK(withChange("/nccl/versions", 1).error() == "report.nccl.versions is not a list");
  CHECK(withChange("/ranks", "3-0").error() == "report.ranks is \"3-0\", not ranges of ranks");
  CHECK(
      withChange("/schema", "commtap.job/1").error() ==
      "a job report of schema commtap.job/1, this commtap reads commtap.job/2: use the commtap that merged it");
  CHECK(withChange("/schema", "commtap/1").error() == "not a job report: its schema is \"commtap/1\"");
  CHECK(jobReportFromJson("{").error().find("no JSON document") == 0);
  CHECK(jobReportFromJson("[]").error().find("not a job report") == 0);
}

TEST_CASE("every field of every table is required") {
  const json document = json::parse(jobReportToJson(fullJob()));
  for (const auto& [table, rows] : document.items()) {
    if (!rows.is_array() || rows.empty() || !rows[0].is_object()) {
      continue;
    }
    for (const auto& [name, value] : rows[0].items()) {
      json without = document;
      without[table][0].erase(name);
      const Result<JobReport> job = jobReportFromJson(without.dump());
      const bool optional = value.is_null() || name == "id" || name == "dtype" || name == "reduce_op" ||
                            name == "async" || name == "class" || name == "rank" || name == "ended_at" ||
                            name == "label" || name == "compiled" || name == "setup" ||
                            (table == "members" && (name == "module" || name == "count"));
      CHECK_MESSAGE(static_cast<bool>(job) == optional, table << "." << name);
    }
  }
}

TEST_CASE("a job without NCCL calls has no NCCL section") {
  CHECK(jobReportToJson(sampleJob()).find("nccl") == std::string::npos);
}

TEST_CASE("a document without durations is read") {
  json document = json::parse(jobReportToJson(fullJob()));
  document.erase("group_times");
  document.erase("module_times");
  const Result<JobReport> job = jobReportFromJson(document.dump());
  REQUIRE(job);
  CHECK(job->steps[0].collectives[0].running_ns.sum == 0);
}

TEST_CASE("unknown fields of a job report are ignored") {
  CHECK(withChange("/later", json::array({1, 2})));
  CHECK(withChange("/collectives/0/later", 1));
}

} // namespace
} // namespace commtap
