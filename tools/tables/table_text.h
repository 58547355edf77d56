// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/tables/report_tables.h"

namespace commtap {

/// Returns the header line with "\n" at its end.
std::string csvTitles(const std::vector<TableColumn>& columns);

/// Returns an RFC 4180 line with "\n" at its end. Null is empty, and spaces separate the items of a list. Text that a
/// spreadsheet would run as a formula is escaped.
std::string csvRow(const TableCells& cells);

/// Writes rows of one table as JSON lines in pure ASCII.
class JsonRows {
 public:
  explicit JsonRows(const std::vector<TableColumn>& columns);

  /// Returns an object with "\n" at its end.
  std::string row(const TableCells& cells) const;

 private:
  std::vector<std::string> names_; ///< each as a field begins with it: `"name":`
};

} // namespace commtap
