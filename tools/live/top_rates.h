// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "tools/live/live_folder.h"
#include "tools/text/color.h"

namespace commtap {

/// What was communicated between two looks at the same jobs, `seconds` apart: a table by kind, one by group, one by
/// module, the largest rates first. Where durations are known, also how long ranks were blocked, and bus bandwidths.
/// `rows`: of each table at most.
std::string
rateTables(const LiveReports& before, const LiveReports& now, double seconds, size_t rows, const Color& color);

} // namespace commtap
