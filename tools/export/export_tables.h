// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "tools/cli/output_file.h"
#include "tools/tables/report_tables.h"
#include "tools/tables/run_table.h"
#include "tools/tables/table_text.h"

namespace commtap {

enum class TableFormat : uint8_t { kCsv, kJsonLines };

/// A table that is exported: one of a report's, or that of the runs.
struct ExportedTable {
  std::string name;
  std::vector<TableColumn> columns;
  std::optional<TableId> id; ///< nullopt: the runs
};

/// Returns all tables, that of the runs first.
std::vector<ExportedTable> exportedTables();

/// Flat tables of reports, each in an output of its own. A report is added once, however many tables there are.
class TableFiles {
 public:
  explicit TableFiles(TableFormat format) : format_(format) {}

  /// Opens the output of a table; `path` is "" or "-" for stdout.
  void open(const std::string& name, const std::string& path);
  /// Opens an output for every table: `folder`/collectives.csv and so on. Makes the folder. Returns "" or an error.
  std::string openAll(const std::string& folder);

  /// Writes a report's rows to the outputs.
  void add(const Report& report);

  /// Returns one line for each output that could not be written.
  std::vector<std::string> finish();

 private:
  struct File {
    File(ExportedTable of, const std::string& path) : table(std::move(of)), out(path), json(table.columns) {}

    ExportedTable table;
    OutputFile out;
    JsonRows json;
  };

  void open(ExportedTable table, const std::string& path);
  void write(File& file, const TableCells& cells) const;

  TableFormat format_;
  std::list<File> files_; ///< a file cannot be moved
  RunTable runs_;
};

} // namespace commtap
