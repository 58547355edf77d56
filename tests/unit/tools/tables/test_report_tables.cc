// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/report_tables.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

Report reportWithNccl() {
  Report report = sampleReport(0);
  NcclCall call;
  call.function = "ncclAllReduce";
  call.communicator = 1;
  call.op = "c10d.allreduce_";
  call.group = "0";
  call.module = "net1";
  call.phase = Phase::kBackward;
  call.dtype = "float32";
  call.in_group = false;
  call.count = 3;
  call.bytes = 96;
  call.captured = 2;
  NcclCall beside;
  beside.function = "ncclGetVersion";
  beside.source = NcclSource::kPlugin;
  report.nccl = Nccl{"2.29.7", {{4, 1, "1"}, {2, 0, "0"}}, {call, beside}};
  return report;
}

TEST_CASE("every row has as many cells as its table has columns, of their types") {
  const Report report = reportWithNccl();
  for (const TableRow& table : reportTables()) {
    CAPTURE(table.name);
    CHECK(reportTables()[static_cast<size_t>(table.id)].name == table.name);
    const std::vector<TableColumn> columns = columnsOf(table.id);
    forEachRow(table.id, report, [&](const TableCells& cells) {
      REQUIRE(cells.size() == columns.size());
      for (size_t i = 0; i < cells.size(); ++i) {
        CAPTURE(columns[i].name);
        const std::string_view type = columns[i].type;
        const bool fits = type == "BIGINT"    ? cells[i].is_number_integer()
                          : type == "DOUBLE"  ? cells[i].is_number_float()
                          : type == "BOOLEAN" ? cells[i].is_boolean()
                          : type == "VARCHAR" ? cells[i].is_string()
                                              : cells[i].is_array() && type.ends_with("[]");
        CHECK((fits || cells[i].is_null()));
      }
    });
  }
}

size_t rowsOf(TableId table, const Report& report) {
  size_t rows = 0;
  forEachRow(table, report, [&](const TableCells&) { ++rows; });
  return rows;
}

TEST_CASE("ops are rows; a report without ops has none") {
  Report report = sampleReport(1);
  CHECK(rowsOf(TableId::kOperations, report) == 0);
  report.operations = {{"net1", Phase::kBackward, "aten.mm", true, 7}};
  forEachRow(TableId::kOperations, report, [](const TableCells& cells) {
    CHECK(std::vector(cells.end() - 5, cells.end()) == TableCells{"net1", "backward", "aten.mm", true, 7});
  });
  CHECK(rowsOf(TableId::kOperations, report) == 1);
}

TEST_CASE("NCCL calls have the size and rank of their communicator") {
  CHECK(rowsOf(TableId::kNcclCalls, sampleReport(0)) == 0);
  std::vector<TableCells> rows;
  forEachRow(TableId::kNcclCalls, reportWithNccl(), [&](const TableCells& cells) {
    rows.emplace_back(cells.begin() + 5, cells.end());
  });
  REQUIRE(rows.size() == 2);
  CHECK(
      rows[0] == TableCells{
                     "ncclAllReduce",
                     1,
                     2,
                     0,
                     "c10d.allreduce_",
                     "0",
                     "net1",
                     "backward",
                     "float32",
                     false,
                     "call",
                     3,
                     0,
                     96,
                     2,
                     "2.29.7"});
  CHECK(rows[1][1].is_null());
  CHECK(rows[1][2].is_null());
  CHECK(rows[1][10] == "plugin");
}

TEST_CASE("the tables have a process, its groups, modules, collectives and not-seen entries") {
  Report report = sampleReport(1);
  report.not_seen = {{"unknown_op", 3, "x", "y"}};
  CHECK(rowsOf(TableId::kProcesses, report) == 1);
  CHECK(rowsOf(TableId::kGroups, report) == 1);
  CHECK(rowsOf(TableId::kModules, report) == 5);
  CHECK(rowsOf(TableId::kCollectives, report) == 3);
  CHECK(rowsOf(TableId::kNotSeen, report) == 1);
}

TEST_CASE("a module's parameters are counted in full and for this rank's part") {
  forEachRow(TableId::kModules, sampleReport(1), [](const TableCells& cells) {
    if (cells[7] == "DistributedDataParallel.net1") {
      CHECK(cells[15] == 2);
      CHECK(cells[16] == 176);
      CHECK(cells[17] == 56);
    }
  });
}

TEST_CASE("the number of parameters stays at the largest number") {
  Report report = sampleReport(1);
  report.modules.resize(1);
  report.modules[0].parameters = {{"weight", {1LL << 40U, 1LL << 40U}, {1}}, {"bias", {5}, {5}}};
  forEachRow(TableId::kModules, report, [](const TableCells& cells) {
    CHECK(cells[16] == INT64_MAX);
    CHECK(cells[17] == 6);
  });
}

TEST_CASE("an unknown group leaves its columns null") {
  Report report = sampleReport(1);
  report.collectives.resize(1);
  report.collectives[0].group = "?";
  forEachRow(TableId::kCollectives, report, [](const TableCells& cells) {
    CHECK(cells[9] == "?");
    CHECK(cells[10].is_null());
    CHECK(cells[11].is_null());
    CHECK(cells[12].is_null());
  });
}

TEST_CASE("a collective has its root module, its label, compiled and set-up; Global has no root") {
  Report report = sampleReport(1);
  report.collectives.resize(1);
  const std::pair<const char*, nlohmann::json> roots[] = {
      {"Net#2.layers.0.mlp", "Net#2"}, {"Net", "Net"}, {"Global", nullptr}};
  for (const auto& [module, root] : roots) {
    report.collectives[0].module = module;
    report.collectives[0].label = root.is_null() ? "clip" : "";
    report.collectives[0].compiled = !root.is_null();
    report.collectives[0].setup = root.is_null();
    const nlohmann::json label = root.is_null() ? nlohmann::json("clip") : nlohmann::json(nullptr);
    forEachRow(TableId::kCollectives, report, [&](const TableCells& cells) {
      CHECK(std::vector(cells.end() - 10, cells.end() - 6) == TableCells{root, label, !root.is_null(), root.is_null()});
    });
  }
}

TEST_CASE("the last columns of a collective are its split sizes; null without any") {
  Report report = sampleReport(1);
  report.collectives.resize(1);
  const auto last = [&report] {
    TableCells found;
    forEachRow(TableId::kCollectives, report, [&found](const TableCells& cells) {
      found = TableCells(cells.end() - 6, cells.end());
    });
    return found;
  };
  CHECK(last() == TableCells{0, nullptr, nullptr, nullptr, nullptr, nullptr});
  report.collectives[0].splits = {4, {1.5, 2}, 3, std::nullopt, 7, {}};
  CHECK(last() == TableCells{4, 1.5, 2.0, 3, nullptr, 7});
  CHECK(columnsOf(TableId::kCollectives).back().name == "zero_peers");
}

TEST_CASE("members are rows") {
  Report report = sampleReport(1);
  report.members = {{0, "Net.up", 64, 2, 1}, {0, "", 8, {}}};
  std::vector<TableCells> rows;
  forEachRow(
      TableId::kMembers, report, [&rows](const TableCells& cells) { rows.emplace_back(cells.end() - 5, cells.end()); });
  CHECK(rows == std::vector<TableCells>{{0, "Net.up", 64, 2, 1}, {0, nullptr, 8, nullptr, 0}});
}

TEST_CASE("the table of stalls has the modules that stood still for each row, the longest first") {
  Report report = sampleReport(1);
  report.collectives.resize(2);
  report.collectives[1].time.stalled_in = {{{"", Phase::kOther}, {1, 2}}, {{"net", Phase::kForward}, {3, 40}}};
  std::vector<TableCells> rows;
  forEachRow(
      TableId::kStalls, report, [&rows](const TableCells& cells) { rows.emplace_back(cells.end() - 5, cells.end()); });
  CHECK(rows == std::vector<TableCells>{{1, "net", "forward", 3, 40}, {1, nullptr, "other", 1, 2}});
}

} // namespace
} // namespace commtap
