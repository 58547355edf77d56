// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_collectives.h"

#include <algorithm>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_counters.h"

namespace commtap {

LedgerCollective* LedgerCollectives::addRow(const CollectiveKey& key) {
  return rows_.add(key, key.op, [&](LedgerCollective& row, const LedgerLock& lock) { row.lane = laneOf(key, lock); });
}

bool LedgerCollectives::hasOpsOf(std::string_view prefix) const {
  const LedgerLock lock(store_.appending());
  const LedgerCollective* rows = store_.records<kCollectives>();
  return std::any_of(rows, rows + store_.used(kCollectives, lock), [&](const LedgerCollective& row) {
    return row.count.load(std::memory_order_relaxed) != 0 && store_.text(row.key.op).substr(0, prefix.size()) == prefix;
  });
}

/// Returns the lane of the key's kind and group, added at first use; the last lane if there is no other left.
uint16_t LedgerCollectives::laneOf(const CollectiveKey& key, const LedgerLock& lock) {
  LedgerLane* lanes = store_.records<kLanes>();
  const auto used = static_cast<uint16_t>(store_.used(kLanes, lock));
  for (uint16_t lane = 0; lane < used; ++lane) {
    if (lanes[lane].kind == key.kind && lanes[lane].group == key.group) {
      return lane;
    }
  }
  if (uint32_t{used} == kLaneCount || store_.reserve(kLanes, 1, lock) == kNoIndex) {
    return kLaneCount - 1;
  }
  const bool fits = uint32_t{used} + 1 < kLaneCount;
  lanes[used] = {fits ? key.kind : Kind::kOther, {}, fits ? key.group : kNoIndex, 0};
  lanes[used].check = checkOf(lanes[used], used);
  store_.commit(kLanes, used + 1, lock);
  return used;
}

void LedgerCollectives::countMember(const LedgerCollective& row, uint32_t module, LedgerAmount amount) {
  if (!members_.createIfNeeded(row.key.op)) {
    return;
  }
  if (LedgerMember* member = members_.findOrAdd({numberOf(&row), module}, row.key.op)) {
    member->bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
    member->count.fetch_add(amount.count, std::memory_order_relaxed);
  }
}

void LedgerCollectives::countStall(const LedgerCollective& row, uint32_t module, Phase phase, uint64_t ns) {
  if (!stalls_.createIfNeeded(row.key.op)) {
    return;
  }
  if (LedgerStall* stall = stalls_.findOrAdd({numberOf(&row), module, phase}, row.key.op)) {
    stall->exposed_ns.fetch_add(ns, std::memory_order_release);
    stall->count.fetch_add(1, std::memory_order_release);
  }
}

StringId LedgerCollectives::labelId(std::string_view label) {
  const LedgerLock lock(store_.appending());
  for (const StringId known : labels_) {
    if (known != 0 && store_.text(known) == label) {
      return known;
    }
  }
  const auto free = std::find(labels_.begin(), labels_.end(), 0U);
  if (free == labels_.end()) {
    return store_.intern(kOtherLabel, lock);
  }
  *free = store_.intern(label, lock);
  return *free;
}

LedgerTimes* LedgerCollectives::addTimes(LedgerCollective& row) {
  const LedgerLock lock(store_.appending());
  LedgerTimes* times = store_.records<kTimes>();
  if (const uint32_t number = row.times.load(std::memory_order_relaxed); number != 0) {
    return &times[number - 1];
  }
  const uint64_t index = store_.reserve(kTimes, 1, lock);
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kTimesFull, store_.text(row.key.op), 1, lock);
    return nullptr;
  }
  forEachCounter(times[index], [](std::atomic<uint64_t>& counter) { counter = 0; });
  times[index].row = numberOf(&row);
  times[index].check = checkOf(times[index], index);
  store_.commit(kTimes, index + 1, lock);
  row.times.store(static_cast<uint16_t>(index + 1), std::memory_order_release);
  return &times[index];
}

bool LedgerCollectives::moveTimes(LedgerCollective& from, LedgerCollective& to) {
  const LedgerLock lock(store_.appending());
  const uint16_t number = from.times.load(std::memory_order_relaxed);
  if (number == 0 || to.times.load(std::memory_order_relaxed) != 0) {
    return number == 0;
  }
  LedgerTimes& times = store_.records<kTimes>()[number - 1];
  times.row = numberOf(&to);
  times.check = checkOf(times, number - 1);
  to.times.store(number, std::memory_order_release);
  from.times.store(0, std::memory_order_release);
  return true;
}

void LedgerCollectives::countDuration(const LedgerCollective& row, LedgerTimes& times, DurationKind kind, uint64_t ns) {
  addDuration(times.durations[static_cast<size_t>(kind)], ns);
  LedgerStepLane& lane = runningLane(row);
  if (kind == DurationKind::kRunning) {
    lane.running_ns.fetch_add(ns, std::memory_order_relaxed);
  } else if (kind == DurationKind::kExposed) {
    lane.exposed_ns.fetch_add(ns, std::memory_order_relaxed);
  }
}

LedgerLast&
LedgerCollectives::noteLast(uint32_t row, uint64_t sequence, uint64_t bytes, int32_t peer, uint64_t now_ns) {
  LedgerHeader& header = store_.header();
  const uint64_t ticket = header.sections[kLast].used.fetch_add(1, std::memory_order_relaxed);
  LedgerLast& entry = store_.records<kLast>()[ticket % kLedgerCapacities[kLast]];
  entry.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  entry.sequence = sequence;
  entry.bytes = bytes;
  entry.step = static_cast<uint32_t>(header.step.load(std::memory_order_relaxed));
  entry.issued_at_ns = now_ns;
  entry.started_at_ns.store(0, std::memory_order_relaxed);
  entry.completed_at_ns.store(0, std::memory_order_relaxed);
  entry.row = row;
  entry.peer = peer;
  entry.state.store(static_cast<uint32_t>(LastState::kIssued), std::memory_order_relaxed);
  entry.number.store(ticket + 1, std::memory_order_release);
  return entry;
}

void LedgerCollectives::moveLast(uint64_t number, uint32_t row) {
  if (number == 0) {
    return;
  }
  LedgerLast& entry = store_.records<kLast>()[(number - 1) % kLedgerCapacities[kLast]];
  if (entry.number.load(std::memory_order_relaxed) == number) {
    entry.row = row;
  }
}

void LedgerCollectives::clearLast() {
  for (uint64_t i = 0; i < kLedgerCapacities[kLast]; ++i) {
    store_.records<kLast>()[i].number.store(0, std::memory_order_relaxed);
  }
}

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
