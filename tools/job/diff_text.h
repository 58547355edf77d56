// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/compare/job_diff.h"
#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// Two jobs and what differs between them by more than is tolerated.
struct JobDiff {
  const JobReport* before = nullptr;
  const JobReport* after = nullptr;
  std::vector<std::string> notes;
  std::vector<ChangeBundle> changes;
  std::vector<ChangeBundle> modules; ///< of the modules that differ everything together; key.module alone counts
};

JobDiff diffOf(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules);

/// For people: which modules communicate more or less than before, then line by line what differs.
std::string diffText(const JobDiff& diff, const Color& color);
/// The same as a comment on a pull request.
std::string diffMarkdown(const JobDiff& diff);
/// For programs; described in docs/check.md.
inline constexpr std::string_view kDiffSchema = "commtap.diff/1";
std::string diffJson(const JobDiff& diff);

} // namespace commtap
