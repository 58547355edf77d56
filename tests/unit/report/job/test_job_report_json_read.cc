// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "report/job/job_report_json.h"
#include "tests/unit/report/job/full_job.h"

namespace commtap {
namespace {

using nlohmann::json;

Result<JobReport> withChange(const std::string& pointer, const json& value) {
  json document = json::parse(jobReportToJson(fullJob()));
  document[json::json_pointer(pointer)] = value;
  return jobReportFromJson(document.dump());
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
                            name == "label" || name == "compiled" || name == "setup" || name == "forward_passes" ||
                            name == "backward_passes" ||
                            (table == "members" && (name == "module" || name == "count" || name == "changes"));
      CHECK_MESSAGE(static_cast<bool>(job) == optional, table << "." << name);
    }
  }
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
