// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Returns whether the row moves a few elements only, as of a loss that a module reduces for its log.
bool isMetric(const JobCollective& row);

/// Returns whether the parameter or module is the module's, or that of a module below it.
bool isBelow(std::string_view name, std::string_view module);

/// Returns the group of one rank in which a job of several ranks reduces its gradients, if these ranks communicate in
/// no other way after set-up; else "".
std::string loneReductions(const JobReport& job);

/// Modules whose forward gathers or sends values of other ranks, and for which nothing communicates in the backward.
struct OneWayModules {
  std::string group;
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each such group
  std::vector<std::string> modules;           ///< sorted
};

/// Returns the modules by group. A module has a way back if in its group there is a row of a backward pass at it, below
/// it, above it or at Global, or a reduction of tensors outside of any pass.
std::vector<OneWayModules> oneWayModules(const JobReport& job);

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
