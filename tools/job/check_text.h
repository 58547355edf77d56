// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/compare/job_check.h"
#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// For people: the checks that failed with what was found, and how many passed.
std::string checkText(const std::vector<Check>& checks, const JobReport& job, const Color& color);
/// The same as a comment on a pull request.
std::string checkMarkdown(const std::vector<Check>& checks, const JobReport& job);
/// For CI: a test case a check.
std::string checkJunit(const std::vector<Check>& checks, const JobReport& job);
/// For programs; described in docs/check.md.
inline constexpr std::string_view kCheckSchema = "commtap.check/1";
std::string checkJson(const std::vector<Check>& checks, const JobReport& job);

} // namespace commtap
