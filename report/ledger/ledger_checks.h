// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "report/base/checksum.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

// The ledger's checks, which detect a file that was damaged after it was written. A check covers all members of a
// record that never change. The number of the record is part of it, so a record of zeros and a moved record are
// detected too.

/// A record that has a check.
template <typename Record>
concept CheckedRecord = std::same_as<decltype(Record::check), uint32_t>;

/// The section of a type of records.
template <typename Record>
inline constexpr uint32_t kSectionOf = std::apply(
    [](const auto&... table) {
      return ((std::is_same_v<typename std::decay_t<decltype(table)>::Record, Record> ? uint32_t{table.id} : 0U) + ...);
    },
    kLedgerTables);

/// Adds a member of a record, if it never changes.
template <typename Member>
void addConstant(Checksum& sum, const Member& member) {
  if constexpr (requires { member.words(); }) {
    for (const uint64_t word : member.words()) {
      sum.add(word);
    }
  } else if constexpr (std::is_integral_v<Member> || std::is_enum_v<Member>) {
    sum.add(static_cast<uint64_t>(member));
  }
}

template <CheckedRecord Record>
uint32_t checkOf(const Record& record, uint64_t number) {
  Checksum sum;
  sum.add(kSectionOf<Record>);
  sum.add(number);
  const auto addUnlessCheck = [&](const auto& member) {
    if (static_cast<const void*>(&member) != &record.check) {
      addConstant(sum, member);
    }
  };
  withMembers(record, [&](const auto&... members) { (addUnlessCheck(members), ...); });
  return sum.value();
}

/// Returns the check of an open call. Its fields change together, so a reader must have seen all three unchanged.
inline uint64_t checkOfOpenCall(uint64_t number, uint64_t entered_at_ns, uint64_t call) {
  return checksumOf(kOpenCalls, number, entered_at_ns, call);
}

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
