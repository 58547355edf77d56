// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/live/job_look.h"
#include "tools/live/late_watch.h"
#include "tools/text/table.h"
#include "tools/top/screen.h"
#include "tools/top/top_columns.h"

namespace commtap {

/// One read of the jobs in a folder or on some hosts.
struct TopFrame {
  JobLook look; ///< its reports need no rows
  Traffic traffic;
  std::vector<LateRank> late = {}; ///< the ranks that are late
};

/// The values that a later frame is compared with.
struct EarlierFrame {
  EarlierLook look;
  Traffic traffic;
};

/// A choice of the user: the most rows of a table, their order, and whether the keys are explained.
struct TopView {
  size_t rows = 0;
  RateOrder order = RateOrder::kPayload;
  bool has_help = false;
  double patience_s = 30; ///< how long a wait is healthy

  /// Changes the view as a key says.
  void press(char key);
};

/// Returns what happened between two reads: what `commtap why` says of each job, the ranks that are late, rates by
/// kind, group and module, then each rank's last collectives. Each table has fewer rows if they do not fit the
/// screen.
std::string topText(
    const EarlierFrame& before,
    const TopFrame& now,
    const TopView& view,
    const ScreenSize& screen,
    const Color& color);

/// Returns what happened between two reads for programs, with all rows.
TopReport topReport(const EarlierFrame& before, const TopFrame& now, const TopView& view);

} // namespace commtap
