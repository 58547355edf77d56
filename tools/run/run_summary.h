// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "tools/text/table.h"

namespace commtap {

/// The facts of a command that left no report.
struct MissingReport {
  std::string folder;                  ///< in which the report was to be
  std::vector<uint64_t> running = {};  ///< processes of the run that still run
  bool takes_preload_for_path = false; ///< it failed, and LD_PRELOAD names several libraries
};

/// Returns why there may be no report, in one line.
std::string noReportText(const MissingReport& missing);

/// Returns a line on processes that loaded torch without commtap, such as "pid 4102, python train.py"; at least one.
std::string missedLine(const std::vector<std::string>& missed);

/// Returns the summary that `commtap run` prints last: the totals of a run by kind and group, and `more`, further lines
/// about the run.
std::string
runSummary(const JobReport& job, const std::string& folder, const Color& color, const std::string& more = "");

} // namespace commtap
