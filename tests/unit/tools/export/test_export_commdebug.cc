// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using nlohmann::json;

const json& child(const json& node, const std::string& fqn) {
  for (const json& each : node["children"]) {
    if (each["fqn"] == fqn) {
      return each;
    }
  }
  FAIL("no child ", fqn);
  return node;
}

Collective& rowOf(Report& report, Kind kind) {
  return *std::find_if(
      report.collectives.begin(), report.collectives.end(), [kind](const Collective& row) { return row.kind == kind; });
}

TEST_CASE("CommDebugMode counts are inclusive, by phase and issuing module") {
  Report report = sampleReport(0);
  rowOf(report, Kind::kAllGather).issued_in = "DistributedDataParallel.net2";
  const json root = json::parse(commDebugJson(report));
  CHECK(root["fqn"] == "Global");
  CHECK(root["module_type"] == "");
  CHECK(
      root["collectives_forward"] ==
      json::parse(R"([["c10d.broadcast_", 1], ["c10d_functional.all_gather_into_tensor", 2]])"));
  CHECK(root["collectives_backward"] == json::parse(R"([["c10d.allreduce_", 1]])"));
  const json& model = child(root, "DistributedDataParallel");
  CHECK(model["collectives_forward"] == json::parse(R"([["c10d_functional.all_gather_into_tensor", 2]])"));
  CHECK(child(model, "DistributedDataParallel.net1")["collectives_forward"].empty());
  CHECK(child(model, "DistributedDataParallel.net2")["collectives_forward"].size() == 1);
}

TEST_CASE("CommDebugMode counts recomputation as backward") {
  Report report = sampleReport(0);
  rowOf(report, Kind::kAllGather).phase = Phase::kRecompute;
  const json root = json::parse(commDebugJson(report));
  CHECK(root["collectives_backward"].size() == 2);
}

TEST_CASE("CommDebugMode modules have their class, sharded parameters and ordered children") {
  const json root = json::parse(commDebugJson(sampleReport(0)));
  const json& model = child(root, "DistributedDataParallel");
  REQUIRE(model["children"].size() == 2);
  CHECK(model["children"][0]["fqn"] == "DistributedDataParallel.net1");
  CHECK(model["children"][1]["fqn"] == "DistributedDataParallel.net2");
  CHECK(model["children"][0]["module_type"] == "class 'Linear'");
  CHECK(model["children"][0]["parameters"] == json::parse(R"j([["weight", "(Shard(0),)"]])j"));
  for (const char* list : {"operations_forward", "operations_backward", "operations_checkpointing"}) {
    CHECK(model[list] == json::array());
  }
}

TEST_CASE("the CommDebugMode document of a deep chain of modules grows with its names only, and is written whole") {
  const auto chainOf = [](uint32_t depth) {
    Report report = sampleReport(0);
    report.modules.resize(1);
    for (uint32_t id = 1; id <= depth; ++id) {
      Module& module = report.modules.emplace_back();
      module.id = id;
      module.parent = id - 1;
      module.name = module.raw_name = "m" + std::to_string(id);
    }
    report.collectives.resize(1);
    report.collectives[0].issued_in = report.modules.back().name;
    return commDebugJson(report);
  };
  const std::string shallow = chainOf(1000);
  const std::string deep = chainOf(20'000);
  CHECK(deep.size() < 25 * shallow.size());
  CHECK(json::parse(shallow)["children"][0]["children"][0]["fqn"] == "m2");
  CHECK(
      json::parse(shallow)["children"][0]["collectives_forward"].size() +
          json::parse(shallow)["children"][0]["collectives_backward"].size() ==
      1);
  CHECK(std::count(deep.begin(), deep.end(), '{') == 20'001);
  CHECK(std::count(deep.begin(), deep.end(), '}') == 20'001);
}

} // namespace
} // namespace commtap
