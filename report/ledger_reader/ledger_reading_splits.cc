// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include "report/ledger_reader/ledger_reading.h"
#include "report/model/splits.h"

namespace commtap {
namespace {

/// Returns the bytes of each peer; empty if the record has none, or if the ranks of the row's group are not known.
PeerBytes peersOf(LedgerReading& reading, const LedgerSplits& ledger) {
  PeerBytes peers;
  const uint32_t group = reading.records.at<kCollectives>(ledger.key.row).key.group;
  const uint64_t there = reading.records.count(kSplitPeers);
  if (ledger.first_peer == kNoIndex || group >= reading.report.groups.size()) {
    return peers;
  }
  const std::vector<uint32_t>& ranks = reading.report.groups[group].ranks;
  if (ranks.size() != ledger.key.peers || there < ledger.key.peers || ledger.first_peer > there - ledger.key.peers) {
    return peers;
  }
  for (uint32_t i = 0; i < ledger.key.peers; ++i) {
    peers[ranks[i]] = reading.records.at<kSplitPeers>(ledger.first_peer + i).bytes.load(std::memory_order_relaxed);
  }
  return peers;
}

} // namespace

void readSplits(LedgerReading& reading) {
  reading.records.forEachWhole<kSplits>([&](const LedgerSplits& ledger, uint64_t /*number*/) {
    const uint64_t calls = ledger.calls.load(std::memory_order_relaxed);
    if (calls == 0 || ledger.key.row >= reading.rows.size() || reading.rows[ledger.key.row] == 0) {
      return; // the job has set the counters to 0, or has added the row after its section was read
    }
    Splits splits;
    splits.calls = calls;
    splits.imbalance = imbalanceFrom(
        calls,
        ledger.imbalance_sum.load(std::memory_order_relaxed),
        ledger.imbalance_max.load(std::memory_order_relaxed));
    splits.zero_peers = ledger.zero_peers.load(std::memory_order_relaxed);
    splits.peers = peersOf(reading, ledger);
    splits.findExtremes();
    reading.report.collectives[reading.rows[ledger.key.row] - 1].splits += splits;
  });
}

} // namespace commtap
