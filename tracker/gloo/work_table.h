// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracker/core/thread_state.h"

namespace commtap {

/// The collectives that backends are working on, by the address of their c10d::Work. No locks, no allocation.
///
/// A work is found by threads that hold it alone, so that its address cannot be another's meanwhile. A work that ends
/// without anyone telling leaves its entry, until another one has its address: entries never pile up.
class WorkTable {
 public:
  struct Entry {
    std::atomic<const void*> work;
    std::atomic<uint64_t> started_at_ns; ///< steady clock; 0: the backend has not begun
    OpFrame call;                        ///< the call that made it
    const ThreadState* thread;           ///< that made the call
  };

  /// False if there is no room near the place that the address chooses.
  bool add(const void* work, const OpFrame& call, const ThreadState* thread);
  /// nullptr if it is not there, or not any more.
  Entry* find(const void* work);
  /// The work is over. True for the first one who says so.
  static bool take(Entry& entry, const void* work) {
    return entry.work.compare_exchange_strong(work, nullptr, std::memory_order_acq_rel);
  }

  void clear();

 private:
  static constexpr size_t kCapacity = 4096;
  static constexpr size_t kProbes = 32;

  Entry& entryNear(const void* work, size_t nth);
  bool claim(Entry& entry, const void* work);

  std::array<Entry, kCapacity> entries_{};
};

} // namespace commtap
