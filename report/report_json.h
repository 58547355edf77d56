// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "report/model.h"
#include "report/result.h"

namespace commtap {

/// The `schema` field of every report of this version. The schema itself: docs/schema/commtap-1.schema.json.
inline constexpr std::string_view kReportSchema = "commtap/1";

/// The report as a JSON document, one table row a line. Invalid UTF-8 in names is replaced, never thrown.
std::string reportToJson(const Report& report);

/// Fails with the field and what was found there. Fields that it does not know are ignored.
Result<Report> reportFromJson(std::string_view text);
/// The `job` of a report alone; whatever else the document holds is not looked at.
Result<Job> jobFromJson(std::string_view text);

} // namespace commtap
