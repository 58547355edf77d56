// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tools/live/live_folder.h"
#include "tools/text/color.h"

namespace commtap {

/// One look at the jobs of a folder.
struct TopFrame {
  LiveReports live;
  uint64_t at_ns = 0; ///< CLOCK_REALTIME
};

/// What happened between two looks: rates by kind, group and module, then which ranks are behind in which group and
/// where, then the last collectives of each rank. `rows`: of each table at most.
std::string topText(const TopFrame& before, const TopFrame& now, size_t rows, const Color& color);

} // namespace commtap
