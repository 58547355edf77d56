// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns the summary that `commtap run` prints last: the totals of `reports`, all of one run, by kind and group, and
/// `more`, further lines about the run. Without reports, returns the reason.
std::string
runSummary(const Result<JobReport>& job, const std::string& folder, const Color& color, const std::string& more = "");

} // namespace commtap
