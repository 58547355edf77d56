// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "report/job/job_report.h"
#include "report/job/job_summary.h"
#include "report/runs/folder.h"
#include "tools/text/color.h"

namespace commtap {

/// Tells whether the numbers cover a run, which may miss ranks, or one process, for which no others are expected.
enum class Scope : bool { kRun, kProcess };

/// Returns the lines above every table: the run, its ranks, how they ended, and what the numbers lack.
std::string headerText(const JobSummary& summary, const ReportFolder& folder, Scope scope, const Color& color);

/// Returns the lines above the tables of a job report, without disagreements.
std::string headerText(const JobReport& job, const Color& color);

/// Returns a group's size, or "?" for 0, which is unknown.
std::string sizeText(uint32_t size);

} // namespace commtap
