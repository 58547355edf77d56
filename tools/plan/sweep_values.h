// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "report/sweep/sweep.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns all combinations of the values: `sweeps` are "tp=1,2" and "dp=4,8". Fails for one that has no name or no
/// value, and for a placeholder that `command` does not have.
Result<std::vector<LayoutValues>> layoutsOf(
    const std::vector<std::string>& sweeps,
    const std::vector<std::string>& command);

/// Returns the command with "{tp}" replaced by the value of tp.
std::vector<std::string> layoutCommand(const LayoutValues& values, std::vector<std::string> command);

/// Returns the name of the layout's folder: "tp=1,dp=8". Characters that have a meaning in paths become "_".
std::string layoutFolder(const LayoutValues& values);

/// Returns the table of a sweep, the layout with the fewest bytes across nodes first; below it what failed.
std::string sweepText(const Sweep& sweep, const Color& color);

} // namespace commtap
