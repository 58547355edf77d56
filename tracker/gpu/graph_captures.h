// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_format.h"
#include "shim/tracker_abi.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// Counts the NCCL calls in CUDA graphs. A captured call runs at each launch of the graph, without a call to torch or
/// NCCL. So the capture keeps the call, and each launch counts it.
class GraphCaptures {
 public:
  /// Returns the hooks for the stub.
  static const commtap_cuda* hooks();

  /// Returns true while any stream is capturing.
  static bool isCapturing() {
    return open_captures_.load(std::memory_order_relaxed) > 0;
  }
  /// Adds a call of `row` with `bytes` of payload to `stream`'s capture; each launch counts it. Takes back the count of
  /// `frame`, the collective that makes the call, if any. Returns false if `stream` is not capturing.
  static bool capture(void* stream, LedgerNcclCall& row, uint64_t bytes, OpFrame* frame);

  static ForkLock forkLock();
  static void resetInForkedChild();

 private:
  static void captureBegan();
  static void captureEnded(uint64_t capture, const void* graph);

  static std::atomic<uint32_t> open_captures_;
};

} // namespace commtap
