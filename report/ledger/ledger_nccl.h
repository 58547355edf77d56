// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_collectives.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes the sections of NCCL's communicators and the calls to NCCL. Any thread.
class LedgerNccl {
 public:
  explicit LedgerNccl(LedgerStore& store) : store_(store), rows_(store, NotSeen::kNcclFull) {}

  /// Starts to count calls to NCCL. Returns false if there is no memory.
  bool countNccl(uint32_t version);
  /// Adds a communicator and returns its index; kNoIndex if the table is full (counted as not seen).
  uint32_t addCommunicator();
  LedgerCommunicator& communicator(uint32_t index) {
    return store_.records<kCommunicators>()[index];
  }
  /// Returns nullptr if the table is full (counted as not seen). Call only after countNccl().
  LedgerNcclCall* row(const NcclKey& key) {
    return rows_.findOrAdd(key, key.function);
  }
  /// Notes that a thread has entered a call, for `group` (kNoIndex: none). Returns the record to pass to leave();
  /// nullptr if as many calls are open as there are records. Threads with different `start` rarely meet in one record.
  LedgerOpenCall* enter(StringId function, uint32_t group, uint64_t now_ns, uintptr_t start);
  /// Notes that the call has returned.
  static void leave(LedgerOpenCall& open) {
    open.entered_at_ns.store(0, std::memory_order_release);
  }

 protected:
  void completeNcclRows(const LedgerLock& lock) {
    rows_.completeIndex(lock);
  }
  /// Runs in a forked child: the calls are open in the parent.
  void leaveAllCalls() {
    for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
      leave(store_.records<kOpenCalls>()[i]);
    }
  }

 private:
  LedgerStore& store_;
  LedgerRows<kNcclCalls, (32U << 10U)> rows_; ///< an index of twice the rows
};

inline bool LedgerNccl::countNccl(uint32_t version) {
  const LedgerLock lock(store_.appending());
  if (!rows_.create(lock)) {
    return false;
  }
  if (store_.used(kOpenCalls, lock) == 0) {
    if (store_.reserve(kOpenCalls, kMostOpenCalls, lock) == kNoIndex) {
      return false;
    }
    store_.commit(kOpenCalls, kMostOpenCalls, lock);
  }
  store_.changeHeader(lock, [version](LedgerHeader& head) { head.nccl = version; });
  return true;
}

inline uint32_t LedgerNccl::addCommunicator() {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kCommunicators, 1, lock);
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kNcclFull, "communicators", 1, lock);
    return kNoIndex;
  }
  communicator(static_cast<uint32_t>(index)).group.store(kNoIndex, std::memory_order_relaxed);
  store_.commit(kCommunicators, index + 1, lock);
  return static_cast<uint32_t>(index);
}

inline LedgerOpenCall* LedgerNccl::enter(StringId function, uint32_t group, uint64_t now_ns, uintptr_t start) {
  constexpr uint64_t kBeingWritten = 1;
  const uint64_t call = wordOf(function, group);
  for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
    const uint64_t number = (start + i) % kMostOpenCalls;
    LedgerOpenCall& open = store_.records<kOpenCalls>()[number];
    uint64_t free = 0;
    if (open.entered_at_ns.compare_exchange_strong(free, kBeingWritten, std::memory_order_acquire)) {
      open.call.store(call, std::memory_order_relaxed);
      open.check.store(checkOfOpenCall(number, now_ns, call), std::memory_order_relaxed);
      open.entered_at_ns.store(now_ns, std::memory_order_release);
      return &open;
    }
  }
  return nullptr;
}

/// Writes the sections of CUDA graphs and the calls that each launch makes. Any thread.
class LedgerGraphs {
 public:
  explicit LedgerGraphs(LedgerStore& store) : store_(store) {}

  /// Adds a graph that communicates. Returns nullptr if the table is full (counted as not seen).
  LedgerGraph* addGraph();
  /// Adds `amount` calls of `row` to each launch of `graph`. Counted as not seen if the table is full.
  void addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount);
  void addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount);

 private:
  void addCall(const LedgerGraph& graph, bool of_nccl, uint32_t row, LedgerAmount amount);

  LedgerStore& store_;
};

} // namespace commtap
