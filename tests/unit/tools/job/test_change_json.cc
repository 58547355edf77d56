// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/change_json.h"

#include <doctest/doctest.h>

#include "report/json/json_row.h"
#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("a change in JSON has its text and numbers, null for a missing row") {
  const ChangeBundle change{
      "Net.*", {"Net.0", "Net.1"}, {"Net.0", Phase::kForward, Kind::kAllGather, "tp"}, {{}, {4, 1.5, 96}}, 1, "Net.*"};
  CHECK(
      jsonLine(changeJson(change)) ==
      R"({"text":"new: 1.5 all_gather per run in Net.* (2 modules; forward, tp): 1.5 calls, 96 B","module":"Net.*",)"
      R"("modules":["Net.0","Net.1"],"phase":"forward","kind":"all_gather","group":"tp","label":null,"setup":false,)"
      R"("before":null,)"
      R"("after":{"rank_count":4,"count":1.5,"bytes":96},"gained_ranks":"","lost_ranks":"","unit":"run"})");
}

TEST_CASE("a change in JSON has the label of its rows") {
  const ChangeBundle change{
      "Global",
      {"Global"},
      {"Global", Phase::kOther, Kind::kAllReduce, "dp", "val_metric"},
      {{}, {4, 1, 4}},
      1,
      "Global"};
  CHECK(changeJson(change)["label"] == "val_metric");
  ChangeBundle in_setup = change;
  in_setup.first.setup = true;
  CHECK(changeJson(in_setup)["setup"] == true);
  CHECK(jsonLine(changeJson(in_setup)).find("in Global [val_metric] (set-up) (other, dp)") != std::string::npos);
}

TEST_CASE("a change in JSON has the ranks that only one run has the row on") {
  ChangeBundle change{
      "Net", {"Net"}, {"Net", Phase::kForward, Kind::kAllGather, "tp"}, {{4, 1, 4}, {3, 1, 4}}, 1, "Net"};
  change.change.gained = {{4, 4}};
  change.change.lost = {{0, 1}};
  CHECK(changeJson(change)["gained_ranks"] == "4");
  CHECK(changeJson(change)["lost_ranks"] == "0-1");
}

TEST_CASE("a compared job in JSON has the fields that identify it") {
  const auto job = jobIdentityJson(jobOf({sampleReport(1), sampleReport(2)}));
  CHECK(job["run_id"] == "sample-run");
  CHECK(job["source"] == "out");
  CHECK(job["ranks"] == "1-2");
  CHECK(job["missing_ranks"] == "0,3");
}

} // namespace
} // namespace commtap
