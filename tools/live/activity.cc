// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/activity.h"

#include <algorithm>

#include "report/base/duration.h"
#include "report/merge/last_activity.h"

namespace commtap {

uint64_t idleSeconds(std::span<const Report* const> reports, uint64_t now_ns) {
  uint64_t last = 0;
  for (const Report* report : reports) {
    last = std::max(last, lastActivityNs(*report));
  }
  return now_ns > last ? (now_ns - last) / kNsPerSecond : 0;
}

} // namespace commtap
