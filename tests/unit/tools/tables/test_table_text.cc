// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/table_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace commtap {
namespace {

const TableCells kCells = {nullptr, true, 3, 0.5, "a,\"b\"\n", nlohmann::json::array({"x", "y"})};

TEST_CASE("CSV: empty for null, quotes where they are needed, inert text") {
  CHECK(csvRow(kCells) == ",true,3,0.5,\"a,\"\"b\"\"\\x0a\",x y\n");
  CHECK(csvTitles(columnsOf(TableId::kNotSeen)) == "run_id,attempt,rank,host,pid,reason,count,detail,meaning\n");
}

TEST_CASE("JSON lines: pure ASCII, invalid UTF-8 replaced") {
  const TableCells cells = {"r", 0, nullptr, "\xff", 12, "\u00e4", 3, "", ""};
  CHECK(
      JsonRows(columnsOf(TableId::kNotSeen)).row(cells) ==
      R"({"run_id":"r","attempt":0,"rank":null,"host":"\ufffd","pid":12,"reason":"\u00e4","count":3,"detail":"","meaning":""})"
      "\n");
}

TEST_CASE("JSON lines: a row of every table names all its columns") {
  for (const TableRow& table : reportTables()) {
    CAPTURE(table.name);
    const std::vector<TableColumn> columns = columnsOf(table.id);
    const nlohmann::json row = nlohmann::json::parse(JsonRows(columns).row(TableCells(columns.size(), nullptr)));
    CHECK(row.size() == columns.size());
    for (const TableColumn& column : columns) {
      CHECK(row.contains(column.name));
    }
  }
}

} // namespace
} // namespace commtap
