// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/model/time_sums.h"
#include "tools/text/color.h"

namespace commtap {

/// A table by kind and group and one by module, with its first rows: how long collectives were queued, ran and blocked
/// on all ranks together, bandwidths and stragglers.
std::string
timeTables(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color);

/// Returns timeTables(), or how to have durations measured if there are none.
std::string
timeText(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color);

} // namespace commtap
