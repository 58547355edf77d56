// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the job of rank 0 whose steps make these all_gathers of 8 bytes, by module. Each step has a backward pass.
JobReport jobOfSteps(const std::vector<std::map<std::string, uint64_t>>& steps);

/// Returns jobOfSteps() of a job that was killed in the last of the steps.
JobReport jobKilledIn(const std::vector<std::map<std::string, uint64_t>>& steps);

} // namespace commtap
