// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/job/job_report.h"

namespace commtap {

/// The `schema` field of every job report of this version. The schema itself: docs/schema/commtap-job-1.schema.json.
inline constexpr std::string_view kJobSchema = "commtap.job/1";

/// The job report as a JSON document, one table row a line. Invalid UTF-8 in names is replaced, never thrown.
std::string jobReportToJson(const JobReport& job);

/// Fails with the field and what was found there. Fields that it does not know are ignored.
Result<JobReport> jobReportFromJson(std::string_view text);

} // namespace commtap
