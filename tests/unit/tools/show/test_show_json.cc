// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_json.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

using nlohmann::json;

json documentOf(const SampleRun& folder, const ShowFilter& filter = {.tree = true}, std::optional<int64_t> rank = {}) {
  return json::parse(showJson(viewOf(folder, filter, rank)));
}

TEST_CASE("the document has the promised parts") {
  SampleRun folder = sampleFolder();
  folder.problems = {"x.json: no JSON document"};
  folder.files[0].report.not_seen = {{"unknown_op", 1, "a::b", "m"}};
  const json document = documentOf(folder);
  CHECK(document["schema"] == "commtap.show/1");
  CHECK(document["ranks"] == "0,2");
  CHECK(document["missing_ranks"] == "1,3");
  CHECK(document["rank"].is_null());
  CHECK(document["processes"][1]["file"] == "rank-00002.json");
  CHECK(document["problems"].size() == 1);
  CHECK(document["not_seen"][0]["ranks"] == "0");
  CHECK(document["groups"][0]["totals"] == document["totals"]);
  CHECK(document["totals"].size() == 3);
}

TEST_CASE("the first screen is data: means per rank and step by kind and by module, with shares, and the advice") {
  const json document = documentOf(sampleFolder(), {});
  const json& means = document["means"];
  CHECK(means["rank_count"] == 2);
  CHECK(means["training_steps"] == 1);
  double share = 0;
  for (const json& row : means["by_kind"]) {
    CHECK(row["group"] == "default_pg");
    share += row["share"].get<double>();
  }
  CHECK(share == doctest::Approx(1));
  REQUIRE_FALSE(means["by_module"].empty());
  CHECK(means["by_module"][0]["module_count"] == 1);
  CHECK(means["setup"]["count"] == 0);
  CHECK(document["advice"].is_array());
}

TEST_CASE("own numbers are listed by label, null for none") {
  SampleRun folder = sampleFolder();
  std::vector<Collective>& rows = folder.files[0].report.collectives;
  rows.push_back(
      *std::find_if(rows.begin(), rows.end(), [](const Collective& row) { return row.kind == Kind::kBroadcast; }));
  rows.back().label = "weights";
  const json collectives = documentOf(folder)["modules"][0]["collectives"];
  CHECK(collectives[0]["own_parts"].empty());
  const json parts = collectives.back()["own_parts"];
  REQUIRE(parts.size() == 2);
  CHECK(parts[0]["label"].is_null());
  CHECK(parts[0]["count"] == 2);
  CHECK(parts[1]["label"] == "weights");
  CHECK(parts[1]["bytes"] == 64);
  CHECK(parts[1]["ranks"] == "0");
}

TEST_CASE("modules have their parent, calls, and own and inclusive numbers") {
  const json modules = documentOf(sampleFolder())["modules"];
  REQUIRE(modules.size() == 4);
  CHECK(modules[0]["name"] == "Global");
  CHECK(modules[0]["parent"].is_null());
  CHECK(modules[2]["parent"] == "DistributedDataParallel");
  CHECK(modules[2]["depth"] == 2);
  CHECK(modules[2]["ranks"] == "0,2");
  CHECK(modules[2]["class"] == "Linear");
  CHECK(modules[2]["calls"] == json::parse(R"({"forward":2})"));
  CHECK(modules[1]["collectives"][0]["inclusive"]["count"] == 4);
  CHECK(modules[1]["collectives"][0]["own"]["count"] == 0);
  CHECK(modules[3]["collectives"].empty());
}

TEST_CASE("the filter is in the document and in its numbers") {
  ShowFilter filter;
  filter.phase = Phase::kBackward;
  const json document = documentOf(sampleFolder(), filter, 2);
  CHECK(document["rank"] == 2);
  CHECK(document["phase"] == "backward");
  CHECK(document["totals"].size() == 1);
  CHECK(document["processes"].size() == 1);
}

TEST_CASE("the document has what --steps, --last, --operations, --time and --nccl ask for, and nothing else") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.steps = {{0, 1, 1, 2, 1, 1, {{Kind::kAllReduce, "0", 3, 300}}}};
  folder.files[1].report.steps.clear();
  folder.files[0].report.operations = {{"net1", Phase::kForward, "aten.linear", true, 2}};
  const json plain = documentOf(folder, {});
  for (const char* part :
       {"steps",
        "last",
        "mismatches",
        "operations",
        "group_times",
        "module_times",
        "nccl",
        "modules",
        "totals",
        "groups",
        "disagreements"}) {
    CHECK_FALSE(plain.contains(part));
  }
  const json document = documentOf(folder, {.operations = true, .steps = true, .last = 1, .time = true, .nccl = true});
  REQUIRE(document["steps"].size() == 1);
  CHECK(document["steps"][0]["collectives"][0]["count"]["sum"] == 3);
  REQUIRE(document["last"].size() == 2);
  CHECK(document["last"][1]["rank"] == 2);
  CHECK(document["last"][1]["group"] == "default_pg");
  CHECK(document["last"][1].contains("sequence"));
  CHECK(document["mismatches"].empty());
  CHECK(document["operations"][0]["op"] == "aten.linear");
  CHECK(document["group_times"].empty());
  CHECK(document["module_times"].empty());
  CHECK(document["nccl"].is_null());
}

TEST_CASE("the document is ASCII without control characters, whatever the names") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.job.run_id = "\xc2\x9b\x7f\x1b\xff\xc3\xa4";
  const std::string text = showJson(viewOf(folder, {}));
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); }));
}

} // namespace
} // namespace commtap
