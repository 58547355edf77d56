// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/ledger/ledger_rows.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes the section of ops. Any thread.
class LedgerOperations {
 public:
  explicit LedgerOperations(LedgerStore& store) : store_(store), rows_(store, NotSeen::kOperationRowsFull) {}

  /// Starts to count ops. Returns false if there is no memory.
  bool countOperations(Level level) {
    const LedgerLock lock(store_.appending());
    if (!rows_.create(lock)) {
      return false;
    }
    store_.changeHeader(lock, [level](LedgerHeader& head) { head.level = static_cast<uint32_t>(level); });
    return true;
  }
  /// Returns nullptr if the table is full (counted as not seen). Call only after countOperations().
  LedgerOperation* row(const OperationKey& key) {
    return rows_.findOrAdd(key, key.op);
  }

 protected:
  void completeOperationRows(const LedgerLock& lock) {
    rows_.completeIndex(lock);
  }

 private:
  LedgerStore& store_;
  LedgerRows<kOperations, (128U << 10U)> rows_; ///< an index of twice the rows
};

} // namespace commtap
