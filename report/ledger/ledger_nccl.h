// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/ledger/ledger_rows.h"
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

 protected:
  void completeNcclRows(const LedgerLock& lock) {
    rows_.completeIndex(lock);
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
  communicator(static_cast<uint32_t>(index)).group.store(checkedNumber(kNoIndex), std::memory_order_relaxed);
  store_.commit(kCommunicators, index + 1, lock);
  return static_cast<uint32_t>(index);
}

} // namespace commtap
