// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// Whose report a JSON file is, read from its first lines: a job of thousands of ranks is looked over before it is
/// read. A report that another program has written anew, in one line for example, is read whole.
Result<Job> readReportHead(const std::string& path);

/// The same from the document's first lines alone.
Result<Job> jobOfReportHead(std::string_view start);

/// The `schema` of a JSON document that begins with it, as all documents of commtap do.
std::optional<std::string> schemaOf(std::string_view text);
std::optional<std::string> schemaOfFile(const std::string& path);

/// Whether a file is a JSON document of commtap that is no rank's report, such as a job report beside the reports that
/// it was made from.
bool isOtherDocument(const std::string& path);

} // namespace commtap
