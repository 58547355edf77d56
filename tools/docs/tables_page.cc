// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/docs/tables_page.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tools/tables/report_tables.h"
#include "tools/tables/run_table.h"

namespace commtap {
namespace {

constexpr std::string_view kTablesIntroduction = R"(# Tables

<!-- Made from tools/tables/report_tables.cc, run_table.cc and report/json/*_columns.h by `./dev docs`. -->

`commtap export --format csv|jsonl --table NAME` writes one flat table of reports, `--all-tables FOLDER` a file per table
in one pass over the reports; with `--format parquet`, a file per table and run. [Queries](analytics.md) over them are for
DuckDB, Spark and ClickHouse. In CSV null is empty and a list's items are separated by spaces; JSON lines are pure ASCII.
Columns may be added at a table's end; none is renamed or removed.

Every table but `runs` starts with the columns that name the process:

)";

void addColumns(const std::vector<TableColumn>& columns, std::string& page) {
  page += "| column | type | meaning |\n|---|---|---|\n";
  for (const TableColumn& column : columns) {
    page += fmt::format("| `{}` | {} | {} |\n", column.name, column.type, column.help);
  }
}

} // namespace

std::string tablesPage() {
  std::string page(kTablesIntroduction);
  addColumns(processKeyColumns(), page);
  for (const TableRow& table : reportTables()) {
    page += fmt::format("\n## `{}`\n\n{}\n\n", table.name, table.help);
    addColumns(table.columns, page);
  }
  page += fmt::format("\n## `{}`\n\n{} Only with `--all-tables`.\n\n", RunTable::kName, RunTable::kHelp);
  addColumns(RunTable::columns(), page);
  return page;
}

} // namespace commtap
