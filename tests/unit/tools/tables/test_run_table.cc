// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/run_table.h"

#include <doctest/doctest.h>

#include <map>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::map<std::string, nlohmann::json> rowOf(const std::vector<TableCells>& rows, size_t which) {
  std::map<std::string, nlohmann::json> row;
  REQUIRE(which < rows.size());
  REQUIRE(rows[which].size() == RunTable::columns().size());
  for (size_t i = 0; i < rows[which].size(); ++i) {
    row[RunTable::columns()[i].name] = rows[which][i];
  }
  return row;
}

TEST_CASE("a run's row sums its processes; another attempt is another row") {
  RunTable table;
  uint64_t bytes = 0;
  for (const int64_t rank : {0, 1}) {
    Report report = sampleReport(rank);
    report.job.run_id = "train@3f2a91c";
    report.job.host = rank == 0 ? "a" : "b";
    report.job.argv = {"train.py", rank == 0 ? "x" : "y"};
    for (const Collective& row : report.collectives) {
      bytes += row.bytes;
    }
    table.add(report);
  }
  Report later = sampleReport(0);
  later.job.run_id = "train@3f2a91c";
  later.job.attempt = 1;
  later.job.argv = {"train.py", "x"};
  later.job.ended_at_ns.reset();
  later.job.exit = ExitKind::kKilled;
  table.add(later);
  later.job.exit = ExitKind::kNormal;
  later.job.exit_status = 1;
  table.add(later);
  const std::vector<TableCells> rows = table.rows();
  REQUIRE(rows.size() == 2);
  auto row = rowOf(rows, 0);
  CHECK(row["run_id"] == "train@3f2a91c");
  CHECK(row["commit"] == "3f2a91c");
  CHECK(row["hosts"] == 2);
  CHECK(row["ranks"] == 2);
  CHECK(row["bytes"] == bytes);
  CHECK(row["killed"] == 0);
  CHECK(row["failed"] == 0);
  CHECK_FALSE(row["ended_at"].is_null());
  auto second = rowOf(rows, 1);
  CHECK(second["attempt"] == 1);
  CHECK(second["killed"] == 1);
  CHECK(second["failed"] == 1);
  CHECK(second["ended_at"].is_null());
  CHECK(second["config_hash"] == row["config_hash"]);
}

TEST_CASE("the commit follows the last @ of a run's name") {
  CHECK(commitOf("a@b@c1") == "c1");
  CHECK(commitOf("127.0.0.1:5") == "");
  CHECK(commitOf("a@") == "");
}

} // namespace
} // namespace commtap
