// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/model/model.h"

namespace commtap {

/// Returns the header line of showCsv()'s rows.
std::string showCsvTitles();

/// Returns the report's rows of `collectives` with the columns of their process and group, for spreadsheets.
/// docs/show.md describes them. Limited to `phase`, if set.
std::string showCsv(const Report& report, std::optional<Phase> phase);

} // namespace commtap
