// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "report/base/checksum.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_store.h"
#include "report/model/stretches.h"

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

/// What all ranks of a group must have in common in a collective. No field may depend on the process: no StringId.
struct SequenceCall {
  uint64_t what = 0;      ///< hash of the op and its kind; 0: ranks may differ in all of it
  uint64_t bytes = 0;     ///< payload; 0 if ranks may differ in it
  uint32_t dtype = 0;     ///< c10::ScalarType
  uint32_t reduce_op = 0; ///< reduceOpTag()
  uint32_t root = 0;      ///< rank in the group; 0 for a kind without a root
};

/// Returns SequenceCall::what for an op: the same number in every process.
inline uint64_t sequenceHashOf(std::string_view op) {
  Checksum sum;
  sum.add(op);
  return sum.value();
}

/// Returns what a collective adds to the sum of its stretch: at least 1. Differs for another call and for another
/// sequence number, except for one pair in 2^20.
constexpr uint64_t sequenceTerm(const SequenceCall& call, uint64_t sequence) {
  uint64_t mixed = call.what ^ (call.bytes * 0x9e3779b97f4a7c15U);
  mixed ^=
      (uint64_t{call.dtype} | (uint64_t{call.reduce_op} << 8U) | (uint64_t{call.root} << 40U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 32U)) * 0x94d049bb133111ebU;
  mixed = ((mixed ^ (mixed >> 29U)) + sequence) * 0xff51afd7ed558ccdU;
  mixed = (mixed ^ (mixed >> 32U)) * 0xc4ceb9fe1a85ec53U;
  return (mixed >> (64U - kSequenceBits)) + 1;
}

struct LedgerParameterFacts {
  std::string_view name;
  std::string_view shape;       ///< JSON array text
  std::string_view local_shape; ///< JSON array text
  std::string_view dtype;
  std::string_view mesh;       ///< JSON object text or ""
  std::string_view placements; ///< JSON array text or ""
  bool requires_grad = false;
};

/// Ends the step in records[0] at `now_ns` and begins the next one there. What threads add to records[0] at the same
/// time counts for one of the two. `used` is the number of records in use, and there must be another one free. Returns
/// the new number of records in use.
uint64_t closeStep(std::span<LedgerStep> records, uint64_t used, uint64_t number, uint64_t now_ns);

/// Joins the steps after the first kExactSteps in pairs, once all records are used: a week of steps fits. Returns the
/// new number of records in use.
uint64_t joinSteps(std::span<LedgerStep> records, uint64_t used);

void clearStep(LedgerStep& record);

/// Writes one process's ledger. Every method may be called from any thread. Only intern() and the methods that add a
/// record take a lock.
class LedgerWriter final : public LedgerStore {
 public:
  /// Returns nullptr if there is no memory.
  static std::unique_ptr<LedgerWriter> create(LedgerSize size = LedgerSize::kFull);

  /// Sets all counts, bytes, module calls and not-seen entries to 0. What other threads add at the same time may stay.
  void zeroCounters();

  /// Runs in a forked child if a thread of the parent may have been appending: keeps what readers can see. Call
  /// resetInForkedChild() next.
  void repairInForkedChild();
  /// Runs in a forked child: leaves the parent's file alone, keeps the names, and starts all counters at 0 in the
  /// child's own memory.
  void resetInForkedChild();

  // Process groups and their ranks.

  /// Adds a group and returns its index; kNoIndex if the table is full. `ranks` are global ranks, empty if unknown.
  uint32_t addGroup(
      std::string_view name,
      std::string_view desc,
      std::string_view backend,
      uint32_t size,
      uint32_t rank,
      std::span<const uint32_t> ranks);

  /// Notes that a named dimension of a DeviceMesh uses the group. A group that dimensions of two names use has none.
  void nameDimension(uint32_t group, std::string_view dimension);

  /// Notes that the process has destroyed all its groups. One that it makes later is another record.
  void allDestroyed();

  /// Returns the group's name; "" for kNoIndex.
  std::string_view groupName(uint32_t group) const;

  /// Returns the number, from 1, of the group's next collective, or of its next send or receive. Returns 0 for
  /// kNoIndex.
  uint64_t nextSequence(uint32_t group, bool point_to_point) {
    return group == kNoIndex
               ? 0
               : records<kGroups>()[group].issued[point_to_point ? 1 : 0].fetch_add(1, std::memory_order_relaxed) + 1;
  }

  // Sums by which ranks compare their sequences of collectives. A sum does not depend on the order in which threads
  // add to it, and adding takes no lock once the record exists.

  /// Adds a collective with its number in the group, from nextSequence(). Does nothing for number 0, a group that is
  /// not known, and if the table is full.
  void addToSequence(uint32_t group, uint64_t sequence, const SequenceCall& call) {
    if (sequence == 0 || group >= kLedgerCapacities[kGroups]) {
      return;
    }
    const uint32_t stretch = stretchOf(sequence);
    const uint32_t current = current_[group].load(std::memory_order_acquire);
    const uint32_t part = stretch / kStretchesPerPart;
    const uint32_t index =
        current != 0 && current >> kIndexBits == part ? current & kIndexMask : findSequence(group, part);
    if (index != kIndexMask) {
      records<kSequences>()[index - 1].sums[stretch % kStretchesPerPart].fetch_add(
          sequenceTerm(call, sequence), std::memory_order_relaxed);
    }
  }

  // Modules and their parameters.

  /// Adds a module and returns its id; kNoIndex if the table is full. `clean`: see LedgerModule.
  uint32_t addModule(
      uint32_t parent,
      std::string_view component,
      std::string_view class_name,
      uint32_t flags,
      std::string_view clean = {});
  /// Moves a module that was called as a root below its parent. `wrapper`: the component is a wrapper's.
  void reparentModule(uint32_t module, uint32_t parent, std::string_view component, bool wrapper = false);
  /// Gives a root another name; its name in clean names stays.
  void renameModule(uint32_t module, std::string_view component);
  void addParameter(uint32_t module, const LedgerParameterFacts& facts);

  void countModuleCall(uint32_t module, Phase phase) {
    records<kModules>()[module].calls[static_cast<size_t>(phase)].fetch_add(1, std::memory_order_relaxed);
  }

  // Steps.

  /// Returns the running step, to which threads add without a lock.
  LedgerStep& openStep() {
    return records<kSteps>()[0];
  }
  /// Returns the number of the running step.
  uint64_t stepNumber() {
    return header().step.load(std::memory_order_relaxed);
  }
  /// Notes that the running step trains: an optimizer has stepped in it, or it wants gradients.
  void stepTrains() {
    openStep().training_steps.store(1, std::memory_order_relaxed);
  }
  /// Notes that no step before the running one trained: an optimizer is seen only now, so other signs ended them.
  void noStepTrained();
  /// Notes what ends the running step once a forward begins. If it is the first one, the report says so; later steps
  /// are described by those that have ended.
  void signSeen(StepSign sign);
  /// Ends the running step, because of `sign`, and begins the next one. `now_ns` is steady clock time.
  void closeStep(uint64_t now_ns, StepSign sign);

  // Collectives, their times, stalls, members and lanes, and the last collectives. Counting takes no lock, and
  // allocates nothing once the row exists.

  /// Returns nullptr if the table is full (counted as not seen).
  LedgerCollective* row(const CollectiveKey& key) {
    LedgerCollective* found = collective_rows_.find(key);
    return found != nullptr ? found : addRow(key);
  }
  /// Returns the id of a label for CollectiveKey. A job may make labels without end: all after the first kMostLabels
  /// are kOtherLabel.
  StringId labelId(std::string_view label);
  static constexpr size_t kMostLabels = 64;
  static constexpr std::string_view kOtherLabel = "(other labels)";

  /// Returns the row's number, by which the last collectives name it; kNoIndex for nullptr.
  uint32_t numberOf(const LedgerCollective* row) const {
    return row == nullptr ? kNoIndex : static_cast<uint32_t>(row - records<kCollectives>());
  }
  /// Returns true if a collective was counted whose op's name begins with `prefix`.
  bool hasOpsOf(std::string_view prefix);
  /// Adds to the row and to the running step.
  void count(LedgerCollective& row, LedgerAmount amount) {
    row.bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
    row.count.fetch_add(amount.count, std::memory_order_relaxed);
    LedgerStepLane& lane = runningLane(row);
    lane.count.fetch_add(amount.count, std::memory_order_relaxed);
    lane.bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
  }

  /// Adds a module's part in a collective that was counted in `row`, and how many of its buffers may have changed.
  /// Counted as not seen if the table is full.
  void countMember(const LedgerCollective& row, uint32_t module, LedgerAmount amount, uint64_t changes = 0);

  /// Returns the record that sums the row's durations; nullptr if the table is full (counted as not seen).
  LedgerTimes* timesOf(LedgerCollective& row) {
    const uint32_t number = row.times.load(std::memory_order_acquire);
    return number != 0 ? &records<kTimes>()[number - 1] : addTimes(row);
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

  // How the calls of a row of collectives are split between the ranks of its group.

  /// Returns the record of a row's calls that have `peers` parts; nullptr if the table is full (counted as not seen).
  LedgerSplits* splitsOf(uint32_t row, uint32_t peers, StringId op) {
    if (!split_rows_.createIfNeeded(op)) {
      return nullptr;
    }
    LedgerSplits* found = split_rows_.find({row, peers});
    return found != nullptr ? found : addSplits({row, peers}, op);
  }
  /// Returns the record of each peer, by its rank in the group; nullptr if the table of peers was full, or if there are
  /// more than kMostSplitPeers.
  LedgerSplitPeer* peersOf(const LedgerSplits& splits) {
    return splits.first_peer == kNoIndex ? nullptr : records<kSplitPeers>() + splits.first_peer;
  }
  /// Adds a call with this imbalance (imbalanceOf()), number of parts that are empty, and bytes that it received beyond
  /// what it sent.
  static void countSplits(LedgerSplits& splits, uint64_t imbalance, uint64_t zero_peers, uint64_t received_more);

  // Ops.

  /// Starts to count ops. Returns false if there is no memory.
  bool countOperations(Level level) {
    const LedgerLock lock(appending());
    if (!operation_rows_.create(lock)) {
      return false;
    }
    changeHeader(lock, [level](LedgerHeader& head) { head.level = static_cast<uint32_t>(level); });
    return true;
  }
  /// Returns nullptr if the table is full (counted as not seen). Call only after countOperations().
  LedgerOperation* row(const OperationKey& key) {
    return operation_rows_.findOrAdd(key, key.op);
  }

  // NCCL's communicators and the calls to NCCL.

  /// Starts to count calls to NCCL. Returns false if there is no memory.
  bool countNccl(uint32_t version);
  /// Adds a communicator and returns its index; kNoIndex if the table is full (counted as not seen).
  uint32_t addCommunicator();
  LedgerCommunicator& communicator(uint32_t index) {
    return records<kCommunicators>()[index];
  }
  /// Returns nullptr if the table is full (counted as not seen). Call only after countNccl().
  LedgerNcclCall* row(const NcclKey& key) {
    return nccl_rows_.findOrAdd(key, key.function);
  }

  // Calls that have not returned.

  /// Makes room for them. Returns false if there is no memory. countNccl() does so, too.
  bool noteOpenCalls();
  /// Notes that a thread has entered a call, for `group` (kNoIndex: none). Returns the record to pass to leave();
  /// nullptr if as many calls are open as there are records. Threads with different `start` rarely meet in one record.
  /// Call only after noteOpenCalls().
  LedgerOpenCall* enter(StringId function, uint32_t group, uint64_t now_ns, uintptr_t start);
  /// Notes that the call has returned.
  static void leave(LedgerOpenCall& open) {
    open.entered_at_ns.store(0, std::memory_order_release);
  }

  // CUDA graphs and the calls that each launch makes.

  /// Adds a graph that communicates. Returns nullptr if the table is full (counted as not seen).
  LedgerGraph* addGraph();
  /// Adds `amount` calls of `row` to each launch of `graph`. Counted as not seen if the table is full.
  void addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount);
  void addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount);

 private:
  static constexpr uint32_t kIndexBits = 24;
  static constexpr uint32_t kIndexMask = (1U << kIndexBits) - 1;
  static_assert(kLedgerCapacities[kSequences] < kIndexMask);

  LedgerWriter() = default;

  bool initialize();
  void restartSteps(const LedgerLock& lock);
  void restartSequences(const LedgerLock& lock);
  void clearLast();
  bool makeOpenCalls(const LedgerLock& lock);
  void leaveAllCalls();
  uint32_t addRanks(std::string_view name, std::span<const uint32_t> ranks, const LedgerLock& lock);
  /// Returns 1 + the number of the record of a group's part, added at first use; kIndexMask if the table is full.
  [[gnu::noinline]] uint32_t findSequence(uint32_t group, uint32_t part);
  LedgerStepLane& runningLane(const LedgerCollective& row) {
    return openStep().lanes[row.lane];
  }
  LedgerCollective* addRow(const CollectiveKey& key);
  LedgerTimes* addTimes(LedgerCollective& row);
  uint16_t laneOf(const CollectiveKey& key, const LedgerLock& lock);
  LedgerSplits* addSplits(const SplitsKey& key, StringId op);
  void addCall(const LedgerGraph& graph, bool of_nccl, uint32_t row, LedgerAmount amount);

  /// By group: the part of the last record used, above 1 + the record's number, or kIndexMask if the table is full;
  /// 0: none.
  std::array<std::atomic<uint32_t>, kLedgerCapacities[kGroups]> current_{};
  std::array<StringId, kMostLabels> labels_{}; ///< 0: free; guarded by the lock of the store
  // An index has twice the rows of its section. Most processes merge, split and time nothing.
  LedgerRows<kCollectives, (128U << 10U)> collective_rows_{*this, NotSeen::kCollectiveRowsFull};
  LedgerRows<kMembers, (32U << 10U)> members_{*this, NotSeen::kMembersUnknown};
  LedgerRows<kStalls, (32U << 10U)> stalls_{*this, NotSeen::kStallsFull};
  LedgerRows<kSplits, (32U << 10U)> split_rows_{*this, NotSeen::kSplitsFull};
  LedgerRows<kOperations, (128U << 10U)> operation_rows_{*this, NotSeen::kOperationRowsFull};
  LedgerRows<kNcclCalls, (32U << 10U)> nccl_rows_{*this, NotSeen::kNcclFull};
};

} // namespace commtap
