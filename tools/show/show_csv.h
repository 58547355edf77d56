// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/model/model.h"

namespace commtap {

/// Returns the title line of showCsv()'s rows.
std::string showCsvTitles();

/// Returns the report's rows of `collectives` with the columns of their process and group, as docs/show.md describes
/// them, for spreadsheets. `phase`: that phase only.
std::string showCsv(const Report& report, std::optional<Phase> phase);

} // namespace commtap
