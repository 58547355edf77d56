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

} // namespace commtap
