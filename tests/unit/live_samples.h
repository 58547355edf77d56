// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tools/live/live_folder.h"

namespace commtap {

inline LiveReports liveOf(const std::vector<Report>& reports) {
  LiveReports live;
  for (const Report& report : reports) {
    live.reports.push_back(std::make_shared<const Report>(report));
  }
  return live;
}

} // namespace commtap
