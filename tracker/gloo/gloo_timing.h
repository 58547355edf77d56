// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/timing.h"
#include "shim/tracker_abi.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// Measures how long collectives over Gloo are queued, run and block the job. The stub reports where Gloo queues, runs
/// and waits for each Work.
class GlooTiming {
 public:
  /// Starts measuring; with Timing off, stops. Call before the first collective. Returns false if there is no memory.
  static bool start(Timing timing);
  static bool isOn() {
    return is_on_;
  }
  /// Returns the hooks for the stub; nullptr if durations are off.
  static const commtap_timing* hooks();

  /// Notes a send or receive, which Gloo does not queue. `work` is the Work that the call returned.
  static void pointToPointIssued(const void* work, OpFrame& call, const ThreadState* thread);

  static void resetInForkedChild();

 private:
  static bool is_on_; ///< set before the first collective, so it needs no atomic
};

} // namespace commtap
