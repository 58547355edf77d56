// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_splits.h"

#include "report/ledger/ledger_counters.h"
#include "report/ledger/ledger_times.h"

namespace commtap {

void LedgerSplitRows::countSplits(LedgerSplits& splits, uint64_t imbalance, uint64_t zero_peers) {
  splits.imbalance_sum.fetch_add(imbalance, std::memory_order_relaxed);
  raiseTo(splits.imbalance_max, imbalance);
  splits.zero_peers.fetch_add(zero_peers, std::memory_order_relaxed);
  splits.calls.fetch_add(1, std::memory_order_relaxed);
}

LedgerSplits* LedgerSplitRows::addSplits(const SplitsKey& key, StringId op) {
  return rows_.add(key, op, [&](LedgerSplits& splits, const LedgerLock& lock) {
    const uint64_t first = key.peers > kMostSplitPeers ? kNoIndex : store_.reserve(kSplitPeers, key.peers, lock);
    splits.first_peer = static_cast<uint32_t>(first);
    if (first == kNoIndex) {
      store_.notSeen(NotSeen::kSplitsFull, store_.text(op), 1, lock);
      return;
    }
    LedgerSplitPeer* peers = store_.records<kSplitPeers>() + first;
    for (uint32_t i = 0; i < key.peers; ++i) {
      forEachCounter(peers[i], [](std::atomic<uint64_t>& counter) { counter = 0; });
    }
    store_.commit(kSplitPeers, first + key.peers, lock);
  });
}

} // namespace commtap
