// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/time_sums.h"
#include "tools/text/color.h"

namespace commtap {

/// The times of a job that a command shows.
struct ShownTimes {
  const std::vector<TimeTotals>& by_group;
  const std::vector<TimeTotals>& by_module; ///< of all modules
  const JobReport& job;                     ///< its ranks and steps
  std::string module = {};                  ///< pattern of the modules to show; "" for all
  bool total = false;                       ///< exposed time is the sum over ranks and steps, with set-up
};

/// Returns a table by kind and group, the first rows of one by module, and where the job stood still.
std::string timeTables(const ShownTimes& times, const Color& color);

/// Returns timeTables(), or how to turn on timing if nothing was timed.
std::string timeText(const ShownTimes& times, const Color& color);

} // namespace commtap
