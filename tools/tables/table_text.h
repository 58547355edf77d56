// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/tables/report_tables.h"

namespace commtap {

/// The line of titles, "\n" at its end.
std::string csvTitles(TableId table);

/// RFC 4180 with "\n" at the end. Null is empty, a list's items are separated by spaces. Text is made inert.
std::string csvRow(const Cells& cells);

/// One JSON object in pure ASCII, "\n" at its end.
std::string jsonRow(TableId table, const Cells& cells);

} // namespace commtap
