// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tools/live/live_folder.h"
#include "tools/text/color.h"
#include "tools/top/screen.h"
#include "tools/why/job_look.h"

namespace commtap {

/// One read of the jobs in a folder.
struct TopFrame {
  LiveReports live;
  uint64_t at_ns = 0; ///< CLOCK_REALTIME
  JobLook look = {};  ///< at the same processes
};

/// Returns what happened between two reads: why the job hangs, the groups that wait, rates by kind, group and module,
/// then each rank's last collectives. Each table has at most `rows` rows, fewer if they do not fit the screen.
std::string
topText(const TopFrame& before, const TopFrame& now, size_t rows, const ScreenSize& screen, const Color& color);

} // namespace commtap
