// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/job/job_report.h"

namespace commtap {

/// The `schema` field of a job report. docs/schema/commtap-job-2.schema.json is the schema.
inline constexpr std::string_view kJobSchema = "commtap.job/2";

/// Returns the job report as a JSON document, with one table row per line. Replaces invalid UTF-8 in names; does not
/// throw.
std::string jobReportToJson(const JobReport& job);

/// Parses a job report. An error names the field and what was found there. Ignores unknown fields.
Result<JobReport> jobReportFromJson(std::string_view text);

} // namespace commtap
