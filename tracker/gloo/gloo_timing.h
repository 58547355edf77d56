// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/timing.h"
#include "shim/tracker_abi.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// Durations of collectives over Gloo, from where its works are queued, carried out and waited for.
class GlooTiming {
 public:
  /// False if there is no memory for it. At Timing off: does nothing.
  static bool start(Timing timing);
  static bool isOn() {
    return is_on_;
  }
  /// For the stub; nullptr unless durations are asked for.
  static const commtap_timing* hooks();

  /// A send or receive, which has no work queue: `work` is what it returned to its caller.
  static void pointToPointIssued(const void* work, OpFrame& call, const ThreadState* thread);

  static void resetInForkedChild();

 private:
  static bool is_on_; ///< set before the first collective
};

} // namespace commtap
