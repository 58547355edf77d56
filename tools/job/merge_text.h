// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns a summary of the job as text for a terminal: the ranks, their disagreements, totals by kind and group, and
/// the rows whose ranks differ most.
std::string mergeText(const JobReport& job, const Color& color);

/// Returns the lines about ranks that disagree; "" if none do.
std::string disagreementLines(const JobReport& job, const Color& color);

} // namespace commtap
