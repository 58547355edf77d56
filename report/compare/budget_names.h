// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/compare/job_diff.h"
#include "report/compare/tolerance.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns why a pattern of a budget cannot match: the job has no module of such a name, or it has the sends and
/// receives in another phase. Names what the budget's author most likely means now. Returns "" for a pattern that
/// matches a cell, or whose modules do not communicate in this run.
std::string whyUnmatched(const CellPattern& pattern, const JobReport& job, const Cells& cells);

} // namespace commtap
