// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "tools/live/live_folder.h"
#include "tools/text/color.h"

namespace commtap {

/// Returns the traffic between two reads of the same jobs, `seconds` apart, as tables by kind, by group and by module,
/// the largest rates first. Adds the time that ranks were blocked and bus bandwidths where durations are known. Each
/// table has at most `rows` rows.
std::string
rateTables(const LiveReports& before, const LiveReports& now, double seconds, size_t rows, const Color& color);

} // namespace commtap
