// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

/// Returns a JSON Schema of docs/schema/ with the definitions of described rows made anew. Everything else in it is
/// kept. Fails if the text is not the schema of the report or of the job report.
Result<std::string> schemaWithRows(const std::string& schema);

/// Returns a page with the tables of fields made anew: whatever stands between `<!-- fields: NAME -->` and
/// `<!-- end of fields -->`. Fails if a name is not a table of the report or a mark has no end.
Result<std::string> pageWithFields(const std::string& page);

} // namespace commtap
