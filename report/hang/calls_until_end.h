// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "report/hang/hang_groups.h"

namespace commtap {

/// The ranks of a job without the calls that they issued while the job was being ended: such calls are no progress, do
/// not show what a rank waited for, and may differ between ranks. They are the calls of a rank
/// - after its launcher's signal, if the process ended within a minute of it: a handler may communicate;
/// - after another rank had given up waiting for it in a collective. Clocks of two hosts may be a second apart.
class CallsUntilEnd {
 public:
  /// `sights` has one process per rank, and outlives the object. A rank gives up as jobEndOf() says.
  CallsUntilEnd(std::span<const RankSight> sights, uint64_t patience_ns);
  CallsUntilEnd(const CallsUntilEnd&) = delete;
  CallsUntilEnd& operator=(const CallsUntilEnd&) = delete;

  std::span<const RankSight> sights() const {
    return sights_;
  }

 private:
  void cut(RankSight& sight, uint64_t until_ns);

  std::vector<RankSight> sights_;
  std::deque<Report> reports_; ///< those with fewer calls
};

} // namespace commtap
