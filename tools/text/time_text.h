// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/model/time_sums.h"
#include "tools/text/color.h"

namespace commtap {

/// Returns a table by kind and group, and the first rows of one by module. They show queued, running and exposed time
/// over all ranks, bandwidths and stragglers.
std::string
timeTables(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color);

/// Returns timeTables(), or how to turn on timing if nothing was timed.
std::string
timeText(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color);

} // namespace commtap
