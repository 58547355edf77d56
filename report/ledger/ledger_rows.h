// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_row_index.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Finds and adds the rows of a section whose records have a key. Finding takes no lock. Any thread.
template <LedgerSectionId kId, size_t kIndexSize>
class LedgerRows {
 public:
  using Row = LedgerRecord<kId>;
  using Key = decltype(Row::key);

  LedgerRows(LedgerStore& store, NotSeen full) : store_(store), full_(full) {}

  bool exists() const {
    return index_.exists();
  }
  /// Creates the index, if that was not done before. Returns false if there is no memory.
  bool create(const LedgerLock& lock) {
    if (index_.exists()) {
      return true;
    }
    const bool created = index_.create();
    store_.changeHeader(lock, [&](LedgerHeader& head) { head.cost.index_bytes += created ? index_.kBytes : 0; });
    return created;
  }

  /// Creates the index at its first use, for a table that most processes do not need. Returns false, and counts `what`
  /// as not seen, if there is no memory.
  bool createIfNeeded(StringId what) {
    if (is_created_.load(std::memory_order_acquire)) {
      return true;
    }
    const LedgerLock lock(store_.appending());
    const bool created = create(lock);
    is_created_.store(created, std::memory_order_release);
    if (!created) {
      store_.notSeen(full_, store_.text(what), 1, lock);
    }
    return created;
  }

  /// Returns nullptr if there is no such row.
  Row* find(const Key& key) const {
    return index_.find(key, rows());
  }

  /// Adds the row of a key that find() did not find; another thread may have added it since. `describe` sets what the
  /// row has in addition to key and counters, which are 0. Returns nullptr, and counts `what` as not seen, if the table
  /// is full.
  template <typename Describe>
  Row* add(const Key& key, StringId what, const Describe& describe) {
    const LedgerLock lock(store_.appending());
    if (Row* found = find(key)) {
      return found;
    }
    const uint64_t number = store_.reserve(kId, 1, lock);
    if (number == kNoIndex) {
      store_.notSeen(full_, store_.text(what), 1, lock);
      return nullptr;
    }
    Row& row = rows()[number];
    row.key = key;
    describe(row, lock);
    row.check = checkOf(row, number);
    store_.commit(kId, number + 1, lock);
    index_.add(key, static_cast<uint32_t>(number));
    return &row;
  }

  /// Returns the row of a key, which is added if need be; nullptr, and counts `what` as not seen, if the table is full.
  Row* findOrAdd(const Key& key, StringId what) {
    Row* found = find(key);
    return found != nullptr ? found : add(key, what, [](const Row& /*row*/, const LedgerLock& /*lock*/) {});
  }

  /// Runs in a forked child: adds the published rows that a thread of the parent had no time to add to the index.
  void completeIndex(const LedgerLock& lock) {
    for (uint32_t number = 0; index_.exists() && number < store_.used(kId, lock); ++number) {
      if (find(rows()[number].key) == nullptr) {
        index_.add(rows()[number].key, number);
      }
    }
  }

 private:
  Row* rows() const {
    return store_.template records<kId>();
  }

  LedgerStore& store_;
  NotSeen full_;                        ///< the reason that is counted if the table is full
  std::atomic<bool> is_created_{false}; ///< by createIfNeeded()
  LedgerRowIndex<Row, kIndexSize> index_;
};

} // namespace commtap
