// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "report/sweep/sweep.h"
#include "tools/plan/plan_settings.h"

namespace commtap {

/// The reason of a plan that a signal stopped.
inline constexpr const char* kPlanStopped = "stopped by a signal";

/// A plan that was made.
struct MadePlan {
  JobReport job;
  std::string early_end; ///< why a rank ended before its steps, or kPlanStopped; "" if none did
};

/// Returns the path of plan.py, which is beside the command.
Result<std::string> findPlanner();

/// Returns "", or why no plan is written to a folder: it holds files of that name that no plan made, which would be
/// deleted.
std::string whyNotPlanFolder(const std::string& out);

/// Plans the job of `command`. `run`: the environment of `commtap run`. Writes the job report into the plan's folder.
Result<MadePlan> makePlan(
    const PlanArguments& arguments,
    const PythonCommand& command,
    const Environment& run,
    const std::string& planner);

/// Returns what a plan communicates in its last step. Fails for a plan of fewer than two steps.
Result<std::vector<Messages>> lastStepIn(const std::string& folder, const JobReport& job, uint32_t per_node);

} // namespace commtap
