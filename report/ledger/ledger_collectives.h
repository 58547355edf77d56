// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "report/ledger/ledger_store.h"

namespace commtap {

/// Calls of one row, summed. Modulo 2^64, so that a negative amount takes calls back.
struct LedgerAmount {
  uint64_t count = 0;
  uint64_t bytes = 0; ///< payload

  LedgerAmount& operator+=(const LedgerAmount& other) {
    count += other.count;
    bytes += other.bytes;
    return *this;
  }
};

/// Writes the sections of collectives, their times, stalls, lanes and members, and the last collectives. Any thread.
/// Counting takes no lock, and allocates nothing once the row exists.
class LedgerCollectives {
 public:
  explicit LedgerCollectives(LedgerStore& store)
      : store_(store),
        rows_(store, NotSeen::kCollectiveRowsFull),
        members_(store, NotSeen::kMembersUnknown),
        stalls_(store, NotSeen::kStallsFull) {}

  /// Returns nullptr if the table is full (counted as not seen).
  LedgerCollective* row(const CollectiveKey& key) {
    LedgerCollective* found = rows_.find(key);
    return found != nullptr ? found : addRow(key);
  }
  /// Returns the id of a label for CollectiveKey. A job may make labels without end: all after the first kMostLabels
  /// are kOtherLabel.
  StringId labelId(std::string_view label);
  static constexpr size_t kMostLabels = 64;
  static constexpr std::string_view kOtherLabel = "(other labels)";

  /// Returns the row's number, by which the last collectives name it; kNoIndex for nullptr.
  uint32_t numberOf(const LedgerCollective* row) const {
    return row == nullptr ? kNoIndex : static_cast<uint32_t>(row - store_.records<kCollectives>());
  }
  /// Returns true if a collective was counted whose op's name begins with `prefix`.
  bool hasOpsOf(std::string_view prefix) const;
  /// Adds to the row and to the running step.
  void count(LedgerCollective& row, LedgerAmount amount) {
    row.bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
    row.count.fetch_add(amount.count, std::memory_order_relaxed);
    LedgerStepLane& lane = runningLane(row);
    lane.count.fetch_add(amount.count, std::memory_order_relaxed);
    lane.bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
  }

  /// Adds a module's part in a collective that a compiler merged and that was counted in `row`. Counted as not seen if
  /// the table is full.
  void countMember(const LedgerCollective& row, uint32_t module, LedgerAmount amount);

  /// Returns the record that sums the row's durations; nullptr if the table is full (counted as not seen).
  LedgerTimes* timesOf(LedgerCollective& row) {
    const uint32_t number = row.times.load(std::memory_order_acquire);
    return number != 0 ? &store_.records<kTimes>()[number - 1] : addTimes(row);
  }
  /// Gives the durations of a row to another one that has none. Returns false if the first has any and the second too.
  bool moveTimes(LedgerCollective& from, LedgerCollective& to);
  /// Adds a duration to the row's `times` and to the running step.
  void countDuration(const LedgerCollective& row, LedgerTimes& times, DurationKind kind, uint64_t ns);

  /// Adds to the module that stood still for `ns` because of the row's collectives. Call after countDuration(): a
  /// reader takes what a row's durations have in excess of its stalls for time of unknown modules, as if the table were
  /// full (which is counted as not seen).
  void countStall(const LedgerCollective& row, uint32_t module, Phase phase, uint64_t ns);

  /// Replaces the oldest of the last collectives. Sets its number, step, clock and state.
  LedgerLast& noteLast(uint32_t row, uint64_t sequence, uint64_t bytes, int32_t peer, uint64_t now_ns);
  /// Gives the collective of this number to another row, if it is still among the last.
  void moveLast(uint64_t number, uint32_t row);

 protected:
  bool createCollectiveRows(const LedgerLock& lock) {
    return rows_.create(lock);
  }
  void completeCollectiveRows(const LedgerLock& lock) {
    rows_.completeIndex(lock);
    members_.completeIndex(lock);
    stalls_.completeIndex(lock);
  }
  void clearLast();

 private:
  LedgerStepLane& runningLane(const LedgerCollective& row) {
    return store_.records<kSteps>()[0].lanes[row.lane];
  }
  LedgerCollective* addRow(const CollectiveKey& key);
  LedgerTimes* addTimes(LedgerCollective& row);
  uint16_t laneOf(const CollectiveKey& key, const LedgerLock& lock);

  LedgerStore& store_;
  std::array<StringId, kMostLabels> labels_{};   ///< 0: free; guarded by the lock of the store
  LedgerRows<kCollectives, (128U << 10U)> rows_; ///< an index of twice the rows
  LedgerRows<kMembers, (32U << 10U)> members_;   ///< most processes merge nothing
  LedgerRows<kStalls, (32U << 10U)> stalls_;     ///< most processes are not timed
};

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
