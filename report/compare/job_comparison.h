// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/compare/compared_steps.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// The amounts of two runs and their differences.
struct JobComparison {
  ComparedSteps steps; ///< that the amounts are divided by
  Cells before;        ///< those that UnevenRows recognizes have what each further step adds
  Cells after;
  std::vector<CellChange> changes; ///< that exceed the tolerances
  std::vector<std::string> dtypes; ///< dtypeNotes()
  std::vector<std::string> notes;  ///< how the runs are compared, and what makes them hard to compare
};

/// Compares two runs by module, phase, kind, group, label and set-up. `steps` is the result of comparedSteps(), or none
/// to compare runs as a whole. Rows that are alike in runs of other numbers of steps (UnevenRows) are no changes.
JobComparison
compareJobs(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules, ComparedSteps steps);

} // namespace commtap
