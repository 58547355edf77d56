// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Modules whose forward gathers or sends values of other ranks, and for which nothing communicates in the backward.
struct OneWayModules {
  std::string group;
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each such group
  std::vector<std::string> modules;           ///< sorted
};

/// Returns the modules by group. A module has a way back if in its group there is a row of a backward pass at it, below
/// it, above it or at Global, or a reduction of tensors outside of any pass.
std::vector<OneWayModules> oneWayModules(const JobReport& job);

} // namespace commtap
