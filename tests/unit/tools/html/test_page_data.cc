// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_data.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace commtap {
namespace {

using nlohmann::json;

JobModule moduleOf(const char* name, size_t parent, uint64_t calls) {
  JobModule module;
  module.name = name;
  module.parent = parent;
  module.calls[static_cast<size_t>(Phase::kForward)].sum = calls;
  return module;
}

JobCollective rowOf(const char* module, uint64_t count) {
  JobCollective row;
  row.module = module;
  row.issued_in = "Net";
  row.phase = Phase::kBackward;
  row.op = "c10d.allreduce_";
  row.kind = Kind::kAllReduce;
  row.async_op = AsyncOp::kYes;
  row.label = "warm-up";
  row.compiled = true;
  row.setup = true;
  row.members = {{"Net.up", 90, 3}, {"", 10, {}}};
  row.amount.ranks = 2;
  row.splits = {4, {1.5, 2}, 1, std::nullopt, 0, {}};
  row.amount.count = {count, 1, count - 1, 0, std::nullopt};
  row.amount.bytes = {count * 100, 100, count * 100 - 100, 0, 1};
  row.amount.bus_bytes.sum = 12.5;
  return row;
}

/// Returns a job of two ranks with a nested module, a row for it, and a disagreement.
JobReport nestedJob() {
  JobReport job;
  job.run_id = "run";
  job.ranks = {{0, 1}};
  job.rank_sets = {{{0, 1}}};
  job.groups = {{"tp", "tp", "gloo", 2, {{0, 1}}, {}}};
  job.modules = {moduleOf("Global", 0, 0), moduleOf("Net", 0, 4), moduleOf("Net.up", 1, 8)};
  job.modules[2].class_name = "Linear";
  job.collectives = {rowOf("Net.up", 5)};
  Disagreement disagreement;
  disagreement.members = {0, 1, 2, 5};
  disagreement.phase = Phase::kForward;
  disagreement.values = {{{{0, 1}}, 2, 64, {}}, {{{5, 5}}, 1, std::nullopt, {}}};
  job.disagreements = {disagreement};
  job.disagreements_found = 7;
  job.processes.resize(2);
  job.processes[0].rank = 0;
  job.processes[1].totals[static_cast<size_t>(Kind::kAllReduce)] = {5, 500, 12.5};
  return job;
}

std::string text(const json& document, const json& position) {
  return document["strings"][position.get<size_t>()];
}

TEST_CASE("page tables are columns, and each string is stored once") {
  const json document = json::parse(pageData(nestedJob()));
  const json& modules = document["modules"];
  CHECK(modules["parent"] == json({-1, 0, 1}));
  CHECK(modules["calls"][2] == json({8, 0, 0, 0, 0}));
  CHECK(text(document, modules["name"][2]) == "Net.up");
  CHECK(text(document, modules["class"][2]) == "Linear");
  CHECK(text(document, modules["class"][1]).empty());
  const json& strings = document["strings"];
  CHECK(std::count(strings.begin(), strings.end(), "Net") == 1);
}

TEST_CASE("a page has the unit of means, and what its caller knows of the run") {
  const json document = json::parse(pageData(nestedJob(), nullptr, {"why: killed", true}));
  CHECK(document["unit"]["ranks"] == 3); // one process has no rank
  CHECK(document["unit"]["steps"] == 0);
  CHECK(document["unit"]["text"] == "Per rank: the mean of 3 ranks; the run has no training steps");
  CHECK(
      document["unit"]["setup"] ==
      "set-up, before the first forward: 1.66667 calls and 167 B per rank (calls: 1 to 4)");
  CHECK(document["why"] == "why: killed");
  CHECK(document["total"] == true);
  CHECK(json::parse(pageData(nestedJob()))["total"] == false);
}

TEST_CASE("a page row has its numbers, and indices of modules and strings") {
  const json document = json::parse(pageData(nestedJob()));
  const json& rows = document["rows"];
  CHECK(rows["module"] == json({2}));
  CHECK(text(document, rows["issued_in"][0]) == "Net");
  CHECK(text(document, rows["op"][0]) == "c10d.allreduce_");
  CHECK(text(document, rows["label"][0]) == "warm-up");
  CHECK(rows["compiled"] == json({true}));
  CHECK(rows["setup"] == json({true}));
  CHECK(document["phases"][rows["phase"][0].get<size_t>()] == "backward");
  CHECK(document["kinds"][rows["kind"][0].get<size_t>()] == "all_reduce");
  CHECK(rows["async"] == json({1}));
  CHECK(rows["count"] == json({5}));
  CHECK(rows["count_min"] == json({1}));
  CHECK(rows["count_max"] == json({4}));
  CHECK(rows["count_min_rank"] == json({0}));
  CHECK(rows["count_max_rank"] == json({nullptr}));
  CHECK(rows["bytes"] == json({500}));
  CHECK(rows["bytes_max"] == json({400}));
  CHECK(rows["bus_bytes"] == json({12.5}));
  CHECK(rows["imbalance_mean"] == json({1.5}));
  CHECK(rows["imbalance_max"] == json({2}));
  CHECK(rows["hottest_peer"] == json({1}));
  CHECK(rows["coldest_peer"] == json({nullptr}));
  for (const json& column : rows) {
    CHECK(column.size() == 1);
  }
}

TEST_CASE("the page has the members of rows") {
  const json document = json::parse(pageData(nestedJob()));
  const json& members = document["members"];
  CHECK(members["row"] == json({0, 0}));
  CHECK(text(document, members["module"][0]) == "Net.up");
  CHECK(text(document, members["module"][1]).empty());
  CHECK(members["bytes"] == json({90, 10}));
  CHECK(members["count"] == json({3, nullptr}));
}

TEST_CASE("a kind that a process lacks has no cell") {
  const json document = json::parse(pageData(nestedJob()));
  CHECK(document["processes"]["rank"] == json({0, nullptr}));
  CHECK(document["cells"]["process"] == json({1}));
  CHECK(document["cells"]["kind"] == json({static_cast<int>(Kind::kAllReduce)}));
  CHECK(document["cells"]["bytes"] == json({500}));
}

TEST_CASE("the page has NCCL calls if a rank made any") {
  JobReport job = nestedJob();
  CHECK(json::parse(pageData(job))["nccl"].is_null());
  job.nccl.emplace().calls.push_back({"ncclSend", "", std::nullopt, "Engine", Phase::kOther, "", 0, {}});
  const json document = json::parse(pageData(job));
  CHECK(text(document, document["nccl"]["beside"]["module"][0]) == "Engine");
}

TEST_CASE("page steps have the times of their ranks, and cells by kind and group") {
  JobReport job = nestedJob();
  JobStep ended{16, 2, 3, 2, {500, 200, 300, 0, 4}, {}};
  ended.collectives.push_back({Kind::kAllGather, 0, 2, {6, 2, 4, 0, 1}, {600, 200, 400, 0, 1}, {}, {}});
  const JobStep running{18, 1, 3, 0, {}, {}};
  job.steps = {ended, running};
  const json document = json::parse(pageData(job));
  const json& steps = document["steps"];
  CHECK(steps["first_step"] == json({16, 18}));
  CHECK(steps["steps"] == json({2, 1}));
  CHECK(steps["rank_count"] == json({3, 3}));
  CHECK(steps["timed_rank_count"] == json({2, 0}));
  CHECK(steps["duration_ns"] == json({500, 0}));
  CHECK(steps["duration_ns_min"] == json({200, 0}));
  CHECK(steps["duration_ns_max"] == json({300, 0}));
  CHECK(steps["duration_ns_max_rank"] == json({4, nullptr}));
  const json& cells = document["step_cells"];
  CHECK(cells["step"] == json({0}));
  CHECK(document["kinds"][cells["kind"][0].get<size_t>()] == "all_gather");
  CHECK(cells["group"] == json({0}));
  CHECK(cells["count"] == json({6}));
  CHECK(cells["bytes"] == json({600}));
}

TEST_CASE("the page of a job without steps has empty step columns") {
  CHECK(json::parse(pageData(nestedJob()))["steps"]["first_step"] == json::array());
}

TEST_CASE("page times are columns of means, null if nothing was measured") {
  JobReport job = nestedJob();
  TimeTotals totals;
  totals.module = "Net.up";
  totals.kind = Kind::kAllReduce;
  totals.group = "tp";
  totals.count = 9;
  totals.time.durations[static_cast<size_t>(DurationKind::kRunning)] = {4, 1000, 100, 400, {}};
  totals.time.durations[static_cast<size_t>(DurationKind::kExposed)] = {3, 600, 100, 300, {}};
  totals.time.bytes = 500;
  totals.straggler = Straggler{1, 70.5};
  totals.label = "warm-up";
  totals.setup = true;
  job.module_times = {totals};
  totals.time = {};
  totals.straggler = std::nullopt;
  job.group_times = {totals};
  const json document = json::parse(pageData(job));
  const json& times = document["module_times"];
  CHECK(text(document, times["module"][0]) == "Net.up");
  CHECK(text(document, times["group"][0]) == "tp");
  CHECK(text(document, times["label"][0]) == "warm-up");
  CHECK(times["setup"] == json({true}));
  CHECK(times["timed"] == json({4}));
  CHECK(times["running_ns"] == json({250.0}));
  CHECK(times["longest_ns"] == json({400}));
  CHECK(times["exposed_ns"] == json({600}));
  CHECK(times["algbw"] == json({5e8}));
  CHECK(times["busbw"] == json::array({nullptr}));
  CHECK(times["late_by_ns"] == json({70.5}));
  CHECK(times["late_rank"] == json({1}));
  for (const char* name : {"queued_ns", "running_ns", "exposed_ns", "algbw", "late_by_ns", "late_rank"}) {
    CHECK(document["group_times"][name] == json::array({nullptr}));
  }
  CHECK_FALSE(document["group_times"].contains("module"));
}

TEST_CASE("page disagreements have ranges of ranks, and null for unused fields") {
  const json document = json::parse(pageData(nestedJob()));
  CHECK(document["disagreements_found"] == 7);
  const json& item = document["disagreements"][0];
  CHECK(item["what"] == "count");
  CHECK(item["members"] == json::parse("[[0,2],[5,5]]"));
  CHECK(item["phase"] == "forward");
  CHECK(item["values"][0]["bytes"] == 64);
  CHECK(item["values"][1]["bytes"] == nullptr);
}

} // namespace
} // namespace commtap
