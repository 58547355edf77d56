// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "report/base/checksum.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

// The ledger's checks, which detect a file that was damaged after it was written. Each function below names all members
// of a record, and covers those that never change. A new member does not compile until it is named here. The number of
// the record is part of its check, so a record of zeros and a moved record are detected too.

/// The dimension is live.
inline uint32_t checkOf(const LedgerGroup& record, uint64_t number) {
  const auto& [name, desc, backend, size, rank, first_rank, ranks_check, check, issued, dimension, reserved] = record;
  return checksumOf(kGroups, number, name, desc, backend, size, rank, first_rank, ranks_check);
}

/// The parent and the components are live.
inline uint32_t checkOf(const LedgerModule& record, uint64_t number) {
  const auto& [parent, component, class_name, flags, check, clean, calls] = record;
  return checksumOf(kModules, number, class_name, flags);
}

inline uint32_t checkOf(const LedgerParameter& record, uint64_t number) {
  const auto& [module, name, shape, local_shape, dtype, mesh, placements, requires_grad, check] = record;
  return checksumOf(kParameters, number, module, name, shape, local_shape, dtype, mesh, placements, requires_grad);
}

inline uint32_t checkOf(const LedgerTimes& record, uint64_t number) {
  const auto& [durations, bytes, row, check] = record;
  return checksumOf(kTimes, number, row);
}

/// The ops in `lowered` are live.
inline uint32_t checkOf(const LedgerCollective& record, uint64_t number) {
  const auto& [key, check, lowered, lane, times, count, bytes] = record;
  const auto words = key.words();
  return checksumOf(kCollectives, number, words[0], words[1], words[2], words[3], uint32_t{lane});
}

inline uint32_t checkOf(const LedgerOperation& record, uint64_t number) {
  const auto& [key, check, count] = record;
  const auto words = key.words();
  return checksumOf(kOperations, number, words[0], words[1]);
}

inline uint32_t checkOf(const LedgerNcclCall& record, uint64_t number) {
  const auto& [key, check, reserved, count, failed, bytes, captured] = record;
  const auto words = key.words();
  return checksumOf(kNcclCalls, number, words[0], words[1], words[2]);
}

inline uint32_t checkOf(const LedgerGraphCall& record, uint64_t number) {
  const auto& [graph, row, of_nccl, check, count, bytes] = record;
  return checksumOf(kGraphCalls, number, graph, row, of_nccl, count, bytes);
}

inline uint32_t checkOf(const LedgerLane& record, uint64_t number) {
  const auto& [kind, reserved, group, check] = record;
  return checksumOf(kLanes, number, kind, group);
}

inline uint32_t checkOf(const LedgerSequence& record, uint64_t number) {
  const auto& [group, part, check, reserved, sums] = record;
  return checksumOf(kSequences, number, group, part);
}

inline uint32_t checkOf(const LedgerMember& record, uint64_t number) {
  const auto& [key, check, reserved, count, bytes] = record;
  return checksumOf(kMembers, number, key.words()[0]);
}

inline uint32_t checkOf(const LedgerSplits& record, uint64_t number) {
  const auto& [key, check, first_peer, calls, imbalance_sum, imbalance_max, zero_peers] = record;
  return checksumOf(kSplits, number, key.words()[0], first_peer);
}

inline uint32_t checkOf(const LedgerStall& record, uint64_t number) {
  const auto& [key, check, count, exposed_ns] = record;
  return checksumOf(kStalls, number, key.words()[0], key.words()[1]);
}

/// Returns the check of an open call. Its fields change together, so a reader must have seen all three unchanged.
inline uint64_t checkOfOpenCall(uint64_t number, uint64_t entered_at_ns, uint64_t call) {
  return checksumOf(kOpenCalls, number, entered_at_ns, call);
}

/// A section whose records have a check.
template <LedgerSectionId kId>
concept CheckedSection = requires(const LedgerRecord<kId>& record, uint64_t number) {
  { checkOf(record, number) } -> std::same_as<uint32_t>;
};

inline uint32_t checkOf(std::string_view text, uint32_t offset) {
  Checksum sum;
  sum.add(offset);
  sum.add(text);
  return sum.value();
}

inline uint32_t checkOf(std::span<const uint32_t> ranks) {
  Checksum sum;
  for (const uint32_t rank : ranks) {
    sum.add(rank);
  }
  return sum.value();
}

/// Covers the fields that change only between LedgerMemory::sealHeader() and the next.
uint32_t checkOf(const LedgerHeader& header);

/// Returns the check of a ledger that says how its process ended; 0 for one that does not.
uint32_t checkOfEnd(const LedgerHeader& header);

/// Returns what LedgerSection::used holds for `used` records, so that one atomic store publishes number and check.
constexpr uint64_t usedWithCheck(LedgerSectionId id, uint64_t used) {
  return wordOf(static_cast<uint32_t>(used), checksumOf(id, used));
}

/// Returns the number of records; nullopt if it does not fit its check.
constexpr std::optional<uint64_t> usedIn(LedgerSectionId id, uint64_t used_with_check) {
  const uint64_t used = used_with_check & 0xffffffffU;
  return usedWithCheck(id, used) == used_with_check ? std::optional<uint64_t>(used) : std::nullopt;
}

} // namespace commtap
