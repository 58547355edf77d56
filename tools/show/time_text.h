// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/model/time_sums.h"
#include "tools/show/show_view.h"
#include "tools/text/color.h"

namespace commtap {

/// How long collectives were queued, ran and blocked, on all ranks together, bandwidths, and who is late: a table by
/// kind and group, and one by module with its first rows.
std::string
timeTables(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color);

/// The same of the reports of `view`, or how to have durations measured.
std::string timeText(const ShowView& view, const Color& color);

} // namespace commtap
