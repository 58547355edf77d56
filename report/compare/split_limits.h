// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/compare/budget.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns how the calls of each cell are split, over all ranks, for the cells with split sizes. `by_setup`: set-up has
/// cells of its own.
std::map<CellKey, Splits> splitsByCell(const JobReport& job, bool by_setup);

/// Returns a line for each cell whose mean imbalance differs by a tenth or more between the runs, the largest change
/// first; at most five. Tokens choose their experts, so no two runs are equal: this is no difference.
std::vector<std::string> splitNotes(const JobReport& before, const JobReport& after);

/// Returns a line for each cell of a budget's entries whose mean imbalance is above the entry's, one list per entry.
std::vector<std::vector<std::string>> unevenCells(const Budget& budget, const JobReport& job);

} // namespace commtap
