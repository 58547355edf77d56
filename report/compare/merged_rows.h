// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// How two jobs differ in what compilers merged.
struct MergedDifference {
  size_t rows = 0;                  ///< merged rows that only one of the jobs has; those of the job that has more
  std::vector<std::string> notes{}; ///< one line for each job that has such rows
};
MergedDifference mergedDifference(const JobReport& before, const JobReport& after);

} // namespace commtap
