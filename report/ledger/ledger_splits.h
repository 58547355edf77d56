// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_rows.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes how the calls of a row of collectives are split between the ranks of its group. Any thread. Counting takes no
/// lock, and allocates nothing once the row's record exists.
class LedgerSplitRows {
 public:
  explicit LedgerSplitRows(LedgerStore& store) : store_(store), rows_(store, NotSeen::kSplitsFull) {}

  /// Returns the record of a row's calls that have `peers` parts; nullptr if the table is full (counted as not seen).
  LedgerSplits* splitsOf(uint32_t row, uint32_t peers, StringId op) {
    if (!rows_.createIfNeeded(op)) {
      return nullptr;
    }
    LedgerSplits* found = rows_.find({row, peers});
    return found != nullptr ? found : addSplits({row, peers}, op);
  }
  /// Returns the record of each peer, by its rank in the group; nullptr if the table of peers was full, or if there are
  /// more than kMostSplitPeers.
  LedgerSplitPeer* peersOf(const LedgerSplits& splits) {
    return splits.first_peer == kNoIndex ? nullptr : store_.records<kSplitPeers>() + splits.first_peer;
  }
  /// Adds a call with this imbalance (imbalanceOf()) and number of parts that are empty.
  static void countSplits(LedgerSplits& splits, uint64_t imbalance, uint64_t zero_peers);

 protected:
  void completeSplitRows(const LedgerLock& lock) {
    rows_.completeIndex(lock);
  }

 private:
  LedgerSplits* addSplits(const SplitsKey& key, StringId op);

  LedgerStore& store_;
  LedgerRows<kSplits, (32U << 10U)> rows_; ///< most processes split nothing
};

} // namespace commtap
