// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

/// Returns a JSON Schema of docs/schema/ with regenerated definitions of described rows. Keeps everything else. Fails
/// if the text is not the schema of the report, of the job report or of the verdict.
Result<std::string> schemaWithRows(const std::string& schema);

/// Returns a page with regenerated tables of fields, between `<!-- fields: NAME -->` and `<!-- end of fields -->`.
/// Fails if NAME is not a table of the report or the end mark is missing.
Result<std::string> pageWithFields(const std::string& page);

/// Returns the text of docs/tables.md.
std::string tablesPage();

} // namespace commtap
