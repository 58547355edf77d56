// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns what fits one screen: at most 40 lines unless the header has many, of at most 160 columns. The header; by
/// kind and group, and by module, the mean calls and bytes per rank and training step, the largest first; set-up; the
/// verdict on a run that failed, and the first advice. Modules whose names differ in numbers only are one row. `path`:
/// what the job was read from, for the commands that show more.
std::string screenText(const JobReport& job, const std::string& path, const Color& color);

/// Returns the part of it that has no modules: by kind and group the mean calls and bytes per rank and training step,
/// and set-up.
std::string kindsText(const JobReport& job, const Color& color);

/// Returns lateLines() as a warning before the numbers of a run; "" if there are none.
std::string lateText(const JobReport& job, const Color& color);

} // namespace commtap
