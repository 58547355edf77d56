// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/compare/budget.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns why the pattern of a budget's entry cannot match: the job has no module of such a name, or it has the sends
/// and receives that the entry allows in another phase. Names what the budget's author most likely means now. Returns
/// "" for a pattern that matches a cell, or whose modules do not communicate in this run.
std::string whyUnmatched(const BudgetEntry& entry, const JobReport& job, const Cells& cells);

} // namespace commtap
