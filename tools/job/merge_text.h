// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// For people: who is there, who disagrees, and how far apart ranks are by kind, by group and in the rows that differ
/// the most.
std::string mergeText(const JobReport& job, const Color& color);

/// The lines on ranks that disagree; "" if none do.
std::string disagreementLines(const JobReport& job, const Color& color);

} // namespace commtap
