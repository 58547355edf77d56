// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "tools/text/job_text.h"
#include "tools/text/table.h"

namespace commtap {

/// A row of a table of the first screen: what several rows of the job communicate, per rank and training step.
struct ScreenRow {
  Kind kind = Kind::kOther; ///< only of rowsByKind(), like the group
  size_t group = 0;         ///< index into JobReport::groups
  std::string label = {};   ///< only of rowsByModule(); "" for none
  std::string module;       ///< the pattern of the modules
  size_t modules = 0;
  Mean mean;
  std::string by_rank; ///< CallSpread::text()
};

/// Return the rows of a job without set-up, the most bytes first: by kind and group; by module and label, where modules
/// whose names differ in numbers only are one row.
std::vector<ScreenRow> rowsByKind(const JobReport& job);
std::vector<ScreenRow> rowsByModule(const JobReport& job);
Mean sumOf(const std::vector<ScreenRow>& rows);

/// Returns what fits one screen: at most 40 lines unless the header has many, of at most 160 columns. The header; by
/// kind and group, and by module, the mean calls and bytes per rank and training step, the largest first; set-up; the
/// verdict on a run that failed, and the first advice. Modules whose names differ in numbers only are one row. `path`:
/// what the job was read from, for the commands that show more.
std::string screenText(const JobReport& job, const std::string& path, const Color& color);

/// Returns the part of it that is above the verdict and the advice.
std::string numbersText(const JobReport& job, const Color& color);

/// Returns the part of it that has no modules: by kind and group the mean calls and bytes per rank and training step,
/// and set-up.
std::string kindsText(const JobReport& job, const Color& color);

/// Returns lateLines() as a warning before the numbers of a run; "" if there are none.
std::string lateText(const JobReport& job, const Color& color);

} // namespace commtap
