// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/model/model.h"

namespace commtap {

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
