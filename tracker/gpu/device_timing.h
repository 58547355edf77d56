// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "report/model/durations.h"
#include "shim/tracker_abi.h"
#include "tracker/core/thread_state.h"
#include "tracker/gpu/device_event.h"

namespace commtap {

/// Measures how long collectives run on a GPU, with two CUDA events around the NCCL call, or group of calls, on its
/// stream. A polling thread queries the events; no thread of the job ever waits for one. While a stream is capturing,
/// nothing is recorded or queried. For calls that NCCL's profiler plugin reports, the plugin reports the kernels'
/// times.
class DeviceTiming {
 public:
  static void start(Timing timing) {
    every_ = timing.device ? timing.every : 0;
  }
  static bool isOn() {
    return every_ > 0;
  }

  /// Runs before a call that moves data. Returns the call's `timer`; nullptr if the call is not timed.
  static void* begins(const commtap_nccl_call* call);
  /// Returns the token that the profiler plugin passes to ran() when the call's kernels end; nullptr if the call is not
  /// timed.
  static void* kernelsExpected(const commtap_nccl_call* call);
  /// Counts `ns`, the time of a call's kernels; 0 if the plugin does not know it. Frees the token.
  static void ran(void* timer, uint64_t ns);
  /// Runs after each NCCL call. `thread.nccl_groups_open` already excludes a group that the call ended.
  static void returned(ThreadState& thread, const commtap_nccl_call& call);

  /// Runs before the process or CUDA shuts down. Gives running collectives 0.1 s, then stops polling. May run more
  /// than once.
  static void finish();
  static void resetInForkedChild();

 private:
  static uint32_t every_; ///< times the collectives of every n-th step; 0: off. Set before the first collective
};

/// How long, and where, the job stood still because a span was not over.
struct Exposure {
  double ms = 0;
  Stalled where;
};

/// Returns the exposure of a span that is over and ran `ran_ms`. Call in the order of the spans' ends.
///
/// On a stream that computes all of it is exposed. Else a wait is exposed from when it began, or from when the
/// collective before it that the same wait is for was over, whichever is later. The longest of several waits counts. A
/// thread's wait ends when the last collective that it is for is over.
Exposure exposureOf(
    const CudaDriver& driver,
    const SpanRef& span,
    double ran_ms,
    const std::vector<std::shared_ptr<Arrival>>& arrivals);

/// Sorts spans that are over by their ends. Those of another device keep their order.
void sortByEnd(const CudaDriver& driver, std::vector<SpanRef>& spans);

} // namespace commtap
