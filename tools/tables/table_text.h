// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/tables/report_tables.h"

namespace commtap {

/// Returns the header line with "\n" at its end.
std::string csvTitles(TableId table);

/// Returns an RFC 4180 line with "\n" at its end. Null is empty, and spaces separate the items of a list. Text that a
/// spreadsheet would run as a formula is escaped.
std::string csvRow(const TableCells& cells);

/// Returns a JSON object in pure ASCII with "\n" at its end.
std::string jsonRow(TableId table, const TableCells& cells);

} // namespace commtap
