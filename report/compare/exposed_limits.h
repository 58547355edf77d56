// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/compare/budget.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns how the exposed time per rank and step differs between the runs: a line for all collectives, and one for
/// each kind and group with a tenth more or less, the largest change first, at most five. Returns none if no call is
/// timed, and a line with the reason unless every call of both runs is timed and both have training steps. No two runs
/// take equally long: this is no difference.
std::vector<std::string> exposedNotes(const JobReport& before, const JobReport& after);

/// Returns a line for each cell of a budget's entries that is exposed for more of a step than the entry allows, or of
/// which that is not known: one list per entry. The last list is for the budget of all collectives.
std::vector<std::vector<std::string>> exposedCells(const Budget& budget, const JobReport& job);

} // namespace commtap
