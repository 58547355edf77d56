// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// Parses a report that holds nothing else: an error, in addition to those of reportFromJson(), if a name in the
/// document is not a report's or is repeated. Such a document may hold what somebody added. For a caller that deletes
/// the file: the other readers ignore what they do not know.
Result<Report> wholeReportFromJson(std::string_view text);

} // namespace commtap
