// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

#include "report/base/checksum.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_store.h"
#include "report/model/stretches.h"

namespace commtap {

/// Writes the sections of process groups and their ranks. Any thread.
class LedgerGroups {
 public:
  explicit LedgerGroups(LedgerStore& store) : store_(store) {}

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
    return group == kNoIndex ? 0
                             : store_.records<kGroups>()[group].issued[point_to_point ? 1 : 0].fetch_add(
                                   1, std::memory_order_relaxed) +
                                   1;
  }

 private:
  uint32_t addRanks(std::string_view name, std::span<const uint32_t> ranks, const LedgerLock& lock);

  LedgerStore& store_;
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

/// Writes the sums by which ranks compare their sequences of collectives. Any thread. A sum does not depend on the
/// order in which threads add to it, and adding takes no lock once the record exists.
class LedgerSequences {
 public:
  explicit LedgerSequences(LedgerStore& store) : store_(store) {}

  /// Adds a collective with its number in the group, from nextSequence(). Does nothing for number 0, a group that is
  /// not known, and if the table is full.
  void addToSequence(uint32_t group, uint64_t sequence, const SequenceCall& call) {
    if (sequence == 0 || group >= kLedgerCapacities[kGroups]) {
      return;
    }
    const uint32_t stretch = stretchOf(sequence);
    const uint32_t current = current_[group].load(std::memory_order_acquire);
    const uint32_t part = stretch / kStretchesPerPart;
    const uint32_t index = current != 0 && current >> kIndexBits == part ? current & kIndexMask : find(group, part);
    if (index != kIndexMask) {
      store_.records<kSequences>()[index - 1].sums[stretch % kStretchesPerPart].fetch_add(
          sequenceTerm(call, sequence), std::memory_order_relaxed);
    }
  }

 protected:
  /// Forgets all records, for an empty ledger.
  void restartSequences(const LedgerLock& lock) {
    store_.changeHeader(lock, [](LedgerHeader& head) { head.cost.index_bytes += sizeof(current_); });
    for (std::atomic<uint32_t>& current : current_) {
      current.store(0, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr uint32_t kIndexBits = 24;
  static constexpr uint32_t kIndexMask = (1U << kIndexBits) - 1;
  static_assert(kLedgerCapacities[kSequences] < kIndexMask);

  /// Returns 1 + the number of the record of a group's part, added at first use; kIndexMask if the table is full.
  [[gnu::noinline]] uint32_t find(uint32_t group, uint32_t part) {
    const LedgerLock lock(store_.appending());
    LedgerSequence* records = store_.records<kSequences>();
    const uint64_t used = store_.used(kSequences, lock);
    uint64_t index = 0;
    while (index < used && (records[index].group != group || records[index].part != part)) {
      ++index;
    }
    const bool is_full = index == used && store_.reserve(kSequences, 1, lock) == kNoIndex;
    if (index == used && !is_full) {
      LedgerSequence& record = *new (&records[index]) LedgerSequence{group, part, 0, 0, {}};
      record.check = checkOf(record, index);
      store_.commit(kSequences, index + 1, lock);
    }
    const uint32_t found = is_full ? kIndexMask : static_cast<uint32_t>(index + 1);
    current_[group].store((part << kIndexBits) | found, std::memory_order_release);
    return found;
  }

  LedgerStore& store_;
  /// By group: the part of the last record used, above 1 + the record's number, or kIndexMask if the table is full;
  /// 0: none.
  std::array<std::atomic<uint32_t>, kLedgerCapacities[kGroups]> current_{};
};

struct LedgerParameterFacts {
  std::string_view name;
  std::string_view shape;       ///< JSON array text
  std::string_view local_shape; ///< JSON array text
  std::string_view dtype;
  std::string_view mesh;       ///< JSON object text or ""
  std::string_view placements; ///< JSON array text or ""
  bool requires_grad = false;
};

/// Writes the sections of modules and their parameters. Any thread.
class LedgerModules {
 public:
  explicit LedgerModules(LedgerStore& store) : store_(store) {}

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
    store_.records<kModules>()[module].calls[static_cast<size_t>(phase)].fetch_add(1, std::memory_order_relaxed);
  }

 private:
  LedgerStore& store_;
};

} // namespace commtap
