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

/// What CUDA graphs communicate. A call that is captured does not run then, but with each launch of the graph, for
/// which neither torch nor NCCL is called: it is kept with the capture, and counted at each launch.
class GraphCaptures {
 public:
  /// For the stub.
  static const commtap_cuda* hooks();

  /// True while some stream is capturing.
  static bool isCapturing() {
    return open_captures_.load(std::memory_order_relaxed) > 0;
  }
  /// `stream` is capturing: a call with it runs later. Of `row`, with this payload; `frame`: the collective that makes
  /// it, nullptr for none, which then does not count as carried out either. False: `stream` is not capturing.
  static bool capture(void* stream, LedgerNcclCall& row, uint64_t bytes, OpFrame* frame);

  static ForkLock forkLock();
  static void resetInForkedChild();

 private:
  static void captureBegan();
  static void captureEnded(uint64_t capture, const void* graph);

  static std::atomic<uint32_t> open_captures_;
};

} // namespace commtap
