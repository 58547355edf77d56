// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/timing.h"
#include "shim/tracker_abi.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// How long collectives run on a GPU: between two events of CUDA's driver, on the stream that NCCL was called with,
/// before and after the call, or the group of calls. A thread of its own asks whether events are over; no thread of the
/// job ever waits for one. While a stream is capturing nothing is recorded and nothing asked. Calls that NCCL's
/// profiler plugin tells of take what it tells of their kernels.
class DeviceTiming {
 public:
  static void start(Timing timing) {
    every_ = timing.device ? timing.every : 0;
  }
  static bool isOn() {
    return every_ > 0;
  }

  /// A call that moves data is about to be made: what to put into its `timer`. nullptr if it is not timed.
  static void* begins(const commtap_nccl_call* call);
  /// Likewise of a call whose kernels NCCL itself will tell of: what to hand to ran().
  static void* kernelsExpected(const commtap_nccl_call* call);
  static void ran(void* timer, uint64_t ns);
  /// A call has returned, and `thread` knows whether it ended a group.
  static void returned(ThreadState& thread, const commtap_nccl_call& call);

  /// The process, or CUDA, is about to end: gives what still runs a tenth of a second, then asks no more. May be called
  /// more than once.
  static void finish();
  static void resetInForkedChild();

 private:
  static uint32_t every_; ///< each n-th collective; 0: none. Set before the first
};

} // namespace commtap
