// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_data.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

using nlohmann::json;

std::string textAt(const json& document, const json& position) {
  return document["strings"][position.get<size_t>()];
}

TEST_CASE("the page of equal runs has totals and no changes") {
  const json document = json::parse(diffData(sampleJob(), sampleJob(), {}));
  CHECK(document["changes"]["module"].empty());
  CHECK(document["totals"]["by"][0] == "all");
  CHECK(document["totals"]["count_before"] == document["totals"]["count_after"]);
  CHECK(document["notes"].empty());
  CHECK(document["summary"] == "no differences");
}

TEST_CASE("the page of two runs has its numbers per rank and step, set-up apart") {
  JobReport before = sampleJob();
  before.steps.assign(
      1, {.first_step = 0, .steps = 2, .ranks = 4, .timed_ranks = 4, .duration_ns = {}, .collectives = {}});
  JobReport after = grownJob();
  after.steps = before.steps;
  after.collectives.back().setup = true;
  const json per_run = json::parse(diffData(before, after, {}));
  const json per_step = json::parse(diffData(before, after, {}, comparedSteps(before, after)));
  CHECK(per_run["unit"] == "per rank and run");
  CHECK(per_step["unit"] == "per rank and step (set-up: per rank and run)");
  CHECK(per_step["summary"].get<std::string>().starts_with("communicates "));
  const double before_run = per_run["totals"]["bytes_before"][0];
  CHECK(per_step["totals"]["bytes_before"][0] == before_run / 2);
  CHECK(per_step["totals"]["by"].back() == "set-up");
}

TEST_CASE("the page of two runs has what changed, per rank") {
  const json document = json::parse(diffData(sampleJob(), grownJob(), {}));
  const json& changes = document["changes"];
  REQUIRE(changes["module"].size() == 1);
  CHECK(textAt(document, changes["module"][0]) == "DistributedDataParallel.net1");
  CHECK(textAt(document, changes["modules"][0][0]) == "DistributedDataParallel.net1");
  CHECK(document["kinds"][changes["kind"][0].get<size_t>()] == "all_gather");
  CHECK(document["phases"][changes["phase"][0].get<size_t>()] == "forward");
  CHECK(textAt(document, changes["group"][0]) == "default_pg");
  CHECK(textAt(document, changes["label"][0]).empty());
  CHECK(changes["setup"] == json({false}));
  CHECK(textAt(document, changes["ranks"][0]).empty());
  CHECK(changes["count_before"] == json({2.0}));
  CHECK(changes["count_after"] == json({3.0}));
  CHECK(changes["bytes_after"][0].get<double>() - changes["bytes_before"][0].get<double>() == 1024);
  CHECK(document["before"]["job"]["run_id"] == "sample-run");
}

TEST_CASE("the page of two runs has the ranks of a row that is on others") {
  std::vector<Report> reports = sampleReports(4);
  std::erase_if(reports[3].collectives, [](const Collective& row) { return row.kind == Kind::kAllGather; });
  const json document = json::parse(diffData(sampleJob(), jobOf(reports), {}));
  REQUIRE(document["changes"]["ranks"].size() == 1);
  CHECK(textAt(document, document["changes"]["ranks"][0]) == "0-3 to 0-2");
}

TEST_CASE("the page of two runs leaves out what is tolerated") {
  const std::vector<Tolerance> rules = {*parseTolerance("bytes=50%,count=1")};
  CHECK(json::parse(diffData(sampleJob(), grownJob(), rules))["changes"]["module"].empty());
}

TEST_CASE("an amount that a run does not have is null on the page") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather).kind = Kind::kGather;
  }
  const json document = json::parse(diffData(jobOf(sampleReports(2)), jobOf(reports), {}));
  const json& changes = document["changes"];
  REQUIRE(changes["kind"].size() == 2);
  CHECK(document["kinds"][changes["kind"][0].get<size_t>()] == "gather");
  CHECK(changes["count_before"] == json({nullptr, 2.0}));
  CHECK(changes["bytes_after"][1].is_null());
  const json& totals = document["totals"];
  size_t kinds = 0;
  for (size_t i = 0; i < totals["by"].size(); ++i) {
    if (totals["by"][i] == "kind" && textAt(document, totals["name"][i]) == "gather") {
      CHECK(totals["count_before"][i].is_null());
      CHECK(totals["count_after"][i] == 2.0);
      ++kinds;
    }
  }
  CHECK(kinds == 1);
}

} // namespace
} // namespace commtap
