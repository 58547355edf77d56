// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "tools/cli/output_file.h"
#include "tools/tables/report_tables.h"

namespace commtap {

enum class TableFormat : uint8_t { kCsv, kJsonLines };

/// Flat tables of reports, each in an output of its own. A report is added once, however many tables there are.
class TableFiles {
 public:
  explicit TableFiles(TableFormat format) : format_(format) {}

  /// Opens the output of a table; `path` is "" or "-" for stdout.
  void open(TableId table, const std::string& path);
  /// Opens an output for every table: `folder`/collectives.csv and so on. Makes the folder. Returns "" or an error.
  std::string openAll(const std::string& folder);

  /// Writes a report's rows to the outputs.
  void add(const Report& report);

  /// Returns one line for each output that could not be written.
  std::vector<std::string> finish();

 private:
  struct File {
    File(TableId id, const std::string& path) : table(id), out(path) {}

    TableId table;
    OutputFile out;
  };

  TableFormat format_;
  std::list<File> files_; ///< a file cannot be moved
};

} // namespace commtap
