// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Reductions of a backward pass that a job made in each of its first steps, and in none of its last ones.
struct StoppedReductions {
  Kind kind = Kind::kOther;
  std::string group;
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each such group
  uint64_t last_step = 0;                     ///< the last step with reductions, from 1
  uint64_t end_step = 0;                      ///< the last complete step of the job, from 1
};

/// Finds the process groups whose reductions stop for the rest of the job, three complete steps or more. Groups that
/// also reduce outside of backward passes, as for a loss that is logged, do not count.
std::vector<StoppedReductions> stoppedReductions(const JobReport& job);

} // namespace commtap
