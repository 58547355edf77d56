// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/totals.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

const ModuleTotals* find(const Totals& totals, const std::string& name) {
  for (const ModuleTotals& module : totals.modules) {
    if (module.name == name) {
      return &module;
    }
  }
  return nullptr;
}

Collective rowOf(const std::string& module, const std::string& group, uint64_t bytes) {
  Collective row;
  row.module = module;
  row.group = group;
  row.kind = Kind::kAllReduce;
  row.phase = Phase::kForward;
  row.count = 1;
  row.bytes = bytes;
  row.bus_bytes = static_cast<double>(bytes);
  return row;
}

TEST_CASE("amounts are summed by phase and kind") {
  const Amounts amounts = {
      {{Phase::kForward, Kind::kAllReduce}, {1, 10, 15}},
      {{Phase::kBackward, Kind::kAllReduce}, {2, 20, 30}},
      {{Phase::kForward, Kind::kBroadcast}, {4, 40, 40}},
  };
  CHECK(sumOf(amounts, {}, {}) == Amount{7, 70, 85});
  CHECK(sumOf(amounts, Phase::kForward, {}) == Amount{5, 50, 55});
  CHECK(sumOf(amounts, {}, Kind::kAllReduce) == Amount{3, 30, 45});
  CHECK(sumOf(amounts, Phase::kRecompute, Kind::kAllReduce) == Amount{});
}

TEST_CASE("several ranks add up, each module and group once") {
  const Report first = sampleReport(0);
  const Report second = sampleReport(1);
  const std::vector<const Report*> reports = {&first, &second};
  const Totals totals = totalsOf(reports);
  CHECK(sumOf(totals.job, {}, {}) == Amount{8, 2 * (320 + 64 + 2048), 2 * (480.0 + 64 + 1536)});
  REQUIRE(totals.groups.size() == 1);
  CHECK(totals.groups[0].name == "default_pg");
  CHECK(totals.groups[0].ranks == std::vector<std::vector<uint32_t>>{{0, 1, 2, 3}});
  CHECK(totals.groups[0].amounts == totals.job);
  // DDP and the MLP in it are one; Global, DDP, net1, net2.
  CHECK(totals.modules.size() == 4);
}

TEST_CASE("inclusive amounts are the module's own and all below") {
  const Report report = sampleReport(0);
  const std::vector<const Report*> reports = {&report};
  const Totals totals = totalsOf(reports);
  const ModuleTotals* model = find(totals, "DistributedDataParallel");
  REQUIRE(model != nullptr);
  CHECK(sumOf(model->own, {}, {}).count == 1);
  CHECK(sumOf(model->inclusive, {}, {}) == Amount{3, 320 + 2048, 480.0 + 1536});
  CHECK(sumOf(totals.modules[0].inclusive, {}, {}).count == 4);
  CHECK(totals.modules[0].inclusive == totals.job);
  CHECK(model->class_name == "MLP");
}

TEST_CASE("groups of one description are one, however many there are") {
  Report report;
  report.groups = {
      {"1", "tp", "gloo", 2, {1, 0}},
      {"2", "tp", "gloo", 2, {2, 3}},
      {"3", "undefined", "gloo", 2, {}},
      {"4", "", "gloo", 2, {}}};
  report.collectives = {
      rowOf("M", "1", 1), rowOf("M", "2", 2), rowOf("M", "3", 100), rowOf("M", "4", 50), rowOf("M", "?", 7)};
  const std::vector<const Report*> reports = {&report};
  const std::vector<GroupTotals> groups = totalsOf(reports).groups;
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].name == "3");
  CHECK(groups[1].name == "4");
  CHECK(groups[2].name == "?");
  CHECK(groups[2].size == 0);
  CHECK(groups[3].name == "tp");
  CHECK(groups[3].ranks == std::vector<std::vector<uint32_t>>{{0, 1}, {2, 3}});
  CHECK(sumOf(groups[3].amounts, {}, {}).bytes == 3);
}

TEST_CASE("a label is the name below the parent") {
  const Report report = sampleReport(0);
  const std::vector<const Report*> reports = {&report};
  const Totals totals = totalsOf(reports);
  CHECK(find(totals, "DistributedDataParallel.net1")->label(totals.modules) == "net1");
  CHECK(totals.modules[1].label(totals.modules) == "DistributedDataParallel");
  CHECK(totals.modules[0].label(totals.modules) == "Global");
}

} // namespace
} // namespace commtap
