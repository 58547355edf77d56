// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/compare/job_check.h"
#include "report/job/job_report.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns the failed checks with their findings, and the number of passed checks, as text for a terminal. `notes`: how
/// a baseline is compared, and what makes that hard.
std::string checkText(
    const std::vector<Check>& checks,
    const std::vector<std::string>& notes,
    const JobReport& job,
    const Color& color);
/// Returns the failed checks as Markdown for a comment on a pull request.
std::string
checkMarkdown(const std::vector<Check>& checks, const std::vector<std::string>& notes, const JobReport& job);
/// Returns JUnit XML for CI systems, with one test case per check.
std::string checkJunit(const std::vector<Check>& checks, const JobReport& job);
/// Returns workflow commands of GitHub Actions: an error per failed check, a warning per note, and a notice with the
/// verdict. GitHub shows them as annotations.
std::string checkGithub(const std::vector<Check>& checks, const std::vector<std::string>& notes, const JobReport& job);
/// Returns such an error for a run at `path` that was not checked.
std::string unreadGithub(const std::string& path);
/// The `schema` of the JSON for programs, which docs/check.md describes.
inline constexpr std::string_view kCheckSchema = "commtap.check/1";
std::string checkJson(const std::vector<Check>& checks, const std::vector<std::string>& notes, const JobReport& job);

} // namespace commtap
