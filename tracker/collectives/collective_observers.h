// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_format.h"
#include "shim/commtap.h"

namespace commtap {

/// Passes each counted collective to the open captures and the job's callback. With no observer, counting pays one
/// relaxed load.
class CollectiveObservers {
 public:
  static bool any() {
    return active_.load(std::memory_order_relaxed) != 0;
  }

  /// Reports that this thread added a call of `bytes` to `row`.
  static void collective(const LedgerCollective& row, uint64_t bytes);

  /// Sets the callback; nullptr removes it. Returns once the last call of the previous callback has returned, unless
  /// that callback calls this function.
  static void setCallback(commtap_collective_callback callback, void* context);

  /// Notes that something wants each collective: a capture that opens, the callback, or NVTX ranges.
  static void added() {
    active_.fetch_add(1, std::memory_order_relaxed);
  }
  static void removed() {
    active_.fetch_sub(1, std::memory_order_relaxed);
  }

  static void resetInForkedChild();

 private:
  static std::atomic<uint32_t> active_; ///< the number of those added
};

/// Returns the row as the job sees it, with `count` calls and a total of `bytes`.
commtap_collective describe(const LedgerCollective& row, uint64_t count, uint64_t bytes);

} // namespace commtap
