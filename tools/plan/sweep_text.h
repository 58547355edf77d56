// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/sweep/sweep.h"
#include "tools/text/color.h"

namespace commtap {

/// Returns the table of a sweep, the layout with the fewest bytes across nodes first; below it what failed.
std::string sweepText(const Sweep& sweep, const Color& color);

} // namespace commtap
