// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_collectives.h"
#include "report/ledger/ledger_rows.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes the section of the modules whose collectives a compiler merged into one row's. Any thread.
class LedgerMembers {
 public:
  explicit LedgerMembers(LedgerStore& store) : store_(store), rows_(store, NotSeen::kMembersUnknown) {}

  /// Adds a module's part in a collective that was counted in `row`. Counted as not seen if the table is full.
  void countMember(const LedgerCollective& row, uint32_t module, LedgerAmount amount);

 protected:
  void completeMemberRows(const LedgerLock& lock) {
    rows_.completeIndex(lock);
  }

 private:
  bool create();

  LedgerStore& store_;
  std::atomic<bool> created_ = false;       ///< most processes merge nothing, and need no index
  LedgerRows<kMembers, (32U << 10U)> rows_; ///< an index of twice the rows
};

inline void LedgerMembers::countMember(const LedgerCollective& row, uint32_t module, LedgerAmount amount) {
  if (!created_.load(std::memory_order_acquire) && !create()) {
    store_.notSeen(NotSeen::kMembersUnknown, store_.text(row.key.op));
    return;
  }
  const auto number = static_cast<uint32_t>(&row - store_.records<kCollectives>());
  if (LedgerMember* member = rows_.findOrAdd({number, module}, row.key.op)) {
    member->bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
    member->count.fetch_add(amount.count, std::memory_order_relaxed);
  }
}

inline bool LedgerMembers::create() {
  const LedgerLock lock(store_.appending());
  const bool created = rows_.create(lock);
  created_.store(created, std::memory_order_release);
  return created;
}

} // namespace commtap
