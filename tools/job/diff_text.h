// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare/change_bundle.h"
#include "report/compare/compared_steps.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"
#include "tools/text/table.h"

namespace commtap {

/// Two jobs and the differences between them that exceed the tolerances.
struct JobDiff {
  const JobReport* before = nullptr;
  const JobReport* after = nullptr;
  size_t bucketed = 0; ///< rows that a compiler merged in only one of the jobs; MergedDifference::rows
  std::vector<std::string> notes;
  std::vector<std::string> dtypes; ///< those of the notes that name other dtypes
  std::vector<ChangeBundle> changes;
  std::vector<ChangeBundle>
      modules;         ///< totals of the modules that differ; only the key's module, label, set-up are set
  ComparedSteps steps; ///< that the numbers are divided by
  std::map<std::string, Change> groups; ///< totals of the groups that differ, over all ranks
  Change total;                         ///< over all modules and ranks; without set-up if the numbers are per step
  Change setup;                         ///< per rank and run
};

/// Compares two jobs. `steps`: those that numbers are divided by; comparedSteps(), or none for numbers per run.
JobDiff
diffOf(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules, ComparedSteps steps = {});

/// Returns whether nothing differs beyond the tolerances.
bool isSame(const JobDiff& diff);

/// Returns "1 bucketed row" for the rows that a compiler merged in only one of the jobs.
std::string bucketedText(const JobDiff& diff);

/// Returns the unit of the numbers: "per rank and step (set-up: per rank and run)" or "per rank and run".
std::string diffUnit(const JobDiff& diff);

/// Returns the differences as text for a terminal: the summary, totals of the modules that differ and of all, then one
/// line per difference.
std::string diffText(const JobDiff& diff, const Color& color);
/// Returns the differences as Markdown for a comment on a pull request.
std::string diffMarkdown(const JobDiff& diff);
/// The `schema` of the JSON for programs, which docs/check.md describes.
inline constexpr std::string_view kDiffSchema = "commtap.diff/1";
std::string diffJson(const JobDiff& diff);

} // namespace commtap
