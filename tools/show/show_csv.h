// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "report/model/model.h"
#include "tools/show/show_view.h"
#include "tools/tables/report_tables.h"

namespace commtap {

/// Returns the table that `--format csv` writes: `collectives`, or the one that the filter adds. Fails with one line if
/// the filter asks for what the table cannot show.
Result<TableId> csvTableOf(const ShowFilter& filter);

/// Returns the rows of a report's table that the filter keeps, as CSV.
std::string showCsv(const Report& report, TableId table, const ShowFilter& filter);

} // namespace commtap
