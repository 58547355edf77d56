// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracker/core/thread_state.h"

namespace commtap {

/// Maps a c10d::Work, by address, to the collective that issued it. Any thread. No locks, no allocation.
///
/// Only a thread that holds a reference looks a Work up, so its address cannot have been reused. An entry whose Work
/// never reports its end stays until a Work at the same address replaces it.
class WorkTable {
 public:
  struct Entry {
    std::atomic<const void*> work;
    std::atomic<uint64_t> started_at_ns; ///< steady clock; 0: the backend has not started
    OpFrame call;                        ///< the call that issued the Work
    const ThreadState* thread;           ///< the issuing thread
  };

  /// Adds or replaces the entry of `work`. Returns false if the slots for its address are full.
  bool add(const void* work, const OpFrame& call, const ThreadState* thread);
  /// Returns the entry; nullptr if there is none or the Work has completed.
  Entry* find(const void* work);
  /// Removes the entry of a completed Work. Returns true on the first call only.
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
