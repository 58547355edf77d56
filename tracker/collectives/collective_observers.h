// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_format.h"
#include "shim/commtap.h"

namespace commtap {

/// Who wants to hear of each collective as it is counted: captures and the job's callback. While nobody does, counting
/// pays one relaxed load for it.
class CollectiveObservers {
 public:
  static bool any() {
    return active_.load(std::memory_order_relaxed) != 0;
  }

  /// One call of `bytes` was added to `row` on the thread that runs.
  static void collective(const LedgerCollective& row, uint64_t bytes);

  /// nullptr takes the callback out. Returns after the last call to the one before has ended, unless called from it.
  static void setCallback(commtap_collective_callback callback, void* context);

  static void captureBegan() {
    active_.fetch_add(1, std::memory_order_relaxed);
  }
  static void captureEnded() {
    active_.fetch_sub(1, std::memory_order_relaxed);
  }

  static void resetInForkedChild();

 private:
  static std::atomic<uint32_t> active_; ///< captures, and one for the callback
};

/// The row as the job sees it, with `count` calls of `bytes` in all.
commtap_collective describe(const LedgerCollective& row, uint64_t count, uint64_t bytes);

} // namespace commtap
