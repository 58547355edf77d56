// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/compare/change_bundle.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// Two jobs and the differences between them that exceed the tolerances.
struct JobDiff {
  const JobReport* before = nullptr;
  const JobReport* after = nullptr;
  size_t bucketed = 0; ///< rows that a compiler merged in only one of the jobs; MergedDifference::rows
  std::vector<std::string> notes;
  std::vector<ChangeBundle> changes;
  std::vector<ChangeBundle> modules; ///< totals of the modules that differ; only key.module is set
};

JobDiff diffOf(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules);

/// Returns the differences as text for a terminal: totals of the modules that differ, then one line per difference.
std::string diffText(const JobDiff& diff, const Color& color);
/// Returns the differences as Markdown for a comment on a pull request.
std::string diffMarkdown(const JobDiff& diff);
/// The `schema` of the JSON for programs, which docs/check.md describes.
inline constexpr std::string_view kDiffSchema = "commtap.diff/1";
std::string diffJson(const JobDiff& diff);

} // namespace commtap
