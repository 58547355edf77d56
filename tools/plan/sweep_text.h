// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/compare/sweep.h"
#include "tools/text/color.h"

namespace commtap {

/// Returns the table of a sweep, the layout with the fewest bytes across nodes first; below it what failed, and what
/// has no predicted time.
std::string sweepText(const Sweep& sweep, const Color& color);

/// Returns the table of the times that `fabric` predicts for the messages of a step.
std::string timesText(const std::vector<Messages>& messages, const Fabric& fabric, const Color& color);

} // namespace commtap
