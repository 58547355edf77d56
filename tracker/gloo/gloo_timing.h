// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "report/model/durations.h"
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
