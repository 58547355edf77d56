// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// The `schema` field of every report of this version. The schema itself: docs/schema/commtap-1.schema.json.
inline constexpr std::string_view kReportSchema = "commtap/1";

/// The report as a JSON document, one table row a line. Invalid UTF-8 in names is replaced, never thrown.
std::string reportToJson(const Report& report);

/// Of what size, in bytes, a report is written in pieces.
inline constexpr size_t kReportPiece = size_t{512} << 10U;
/// Appends the same to `text`. Between two rows of a table that may be long, `take` gets what there is by then, as soon
/// as that is kReportPiece, and may take it away: of a large report the whole text is more memory than a process should
/// have to find at its end. What follows the long tables is in `text` afterwards.
void appendReport(std::string& text, const Report& report, const std::function<void(std::string&)>& take);

/// Fails with the field and what was found there. Fields that it does not know are ignored.
Result<Report> reportFromJson(std::string_view text);
/// The `job` of a report alone; whatever else the document holds is not looked at.
Result<Job> jobFromJson(std::string_view text);

} // namespace commtap
