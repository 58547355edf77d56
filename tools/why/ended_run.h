// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the line "why: ..." for commands that show other facts of a run that has ended, with the command that shows
/// more; "" if all ranks ended by themselves and without an error, or the newest run in the folder is another.
std::string endedLine(const JobReport& job, const std::string& folder);

} // namespace commtap
