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

/// Whether the numbers are a whole run's, which may miss ranks, or one process's, which is not expected to have others.
enum class Scope : bool { kRun, kProcess };

/// The lines above every table: the run, its ranks, how they ended, and what is not in the numbers.
std::string headerText(const JobSummary& summary, const ReportFolder& folder, Scope scope, const Color& color);

/// The same above what is made of a job report; disagreements are not in it.
std::string headerText(const JobReport& job, const Color& color);

/// A group's size; "?" for 0, which is unknown.
std::string sizeText(uint32_t size);

} // namespace commtap
