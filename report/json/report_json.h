// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/model/model.h"

namespace commtap {

/// The `schema` field of a report. docs/schema/commtap-2.schema.json is the schema.
inline constexpr std::string_view kReportSchema = "commtap/2";

/// Returns the report as a JSON document, with one table row per line. Replaces invalid UTF-8 in names; does not throw.
std::string reportToJson(const Report& report);

/// Size of the blocks in which a report is written, in bytes.
inline constexpr size_t kReportPiece = size_t{512} << 10U;
/// Appends the document of reportToJson() to `text`. Calls `take` between rows of a long table once `text` reaches
/// kReportPiece; `take` may clear it. So a process that ends never holds the whole text of a large report. Afterwards
/// `text` holds what follows the long tables.
void appendReport(std::string& text, const Report& report, const std::function<void(std::string&)>& take);

/// Returns "" for a `schema` that reportFromJson() reads, else an error; nullopt: the document has none.
std::string schemaError(const std::optional<std::string>& schema);
/// Parses a report. An error names the field and what was found there. Ignores unknown fields.
Result<Report> reportFromJson(std::string_view text);
/// Parses only the `job` of a report.
Result<Job> jobFromJson(std::string_view text);

/// Parses a report that holds nothing else: an error, in addition to those of reportFromJson(), if a name in the
/// document is not a report's or is repeated. Such a document may hold rows that a user added. For a caller that
/// deletes the file: the other readers ignore what they do not know.
Result<Report> wholeReportFromJson(std::string_view text);

/// Returns the `job` of a JSON report. Reads only the first lines, because a job has thousands of reports. Reads the
/// whole file if another program rewrote it with other line breaks, if that takes at most `memory` bytes.
Result<Job> readReportHead(const std::string& path, uint64_t memory = maxInputSize());

/// Returns the `job` from the first lines of a JSON report.
Result<Job> jobOfReportHead(std::string_view start);

/// Returns the `schema` of a JSON document that begins with this field, as all commtap documents do.
std::optional<std::string> schemaOf(std::string_view text);
std::optional<std::string> schemaOfFile(const std::string& path);

/// Returns whether a file is a commtap JSON document other than a rank's report, such as a job report next to its
/// reports.
bool isOtherDocument(const std::string& path);

} // namespace commtap
