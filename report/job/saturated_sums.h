// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the names of the numbers whose sums over the job's ranks do not fit into 64 bits.
std::vector<std::string> saturatedSums(const JobReport& job);

/// Returns the line that reports such a sum to a user; `source` is the folder or file of the numbers.
std::string saturatedLine(const std::string& source, const std::string& number);

} // namespace commtap
