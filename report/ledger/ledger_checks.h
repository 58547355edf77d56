// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "report/base/checksum.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

/// Calls visit() with all members of a record, in their order.
template <typename Record, typename Visit>
void withMembers(Record& record, const Visit& visit) {
  constexpr size_t kMembers = Record::kMembers;
  if constexpr (kMembers == 1) {
    auto& [a] = record;
    visit(a);
  } else if constexpr (kMembers == 3) {
    auto& [a, b, c] = record;
    visit(a, b, c);
  } else if constexpr (kMembers == 4) {
    auto& [a, b, c, d] = record;
    visit(a, b, c, d);
  } else if constexpr (kMembers == 5) {
    auto& [a, b, c, d, e] = record;
    visit(a, b, c, d, e);
  } else if constexpr (kMembers == 6) {
    auto& [a, b, c, d, e, f] = record;
    visit(a, b, c, d, e, f);
  } else if constexpr (kMembers == 7) {
    auto& [a, b, c, d, e, f, g] = record;
    visit(a, b, c, d, e, f, g);
  } else if constexpr (kMembers == 8) {
    auto& [a, b, c, d, e, f, g, h] = record;
    visit(a, b, c, d, e, f, g, h);
  } else if constexpr (kMembers == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = record;
    visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kMembers == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = record;
    visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (kMembers == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = record;
    visit(a, b, c, d, e, f, g, h, i, j, k);
  }
}

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

// The ledger's counters: every number that threads add to without a lock. publish() carries over additions during its
// copy of the ledger. A reset zeroes all counters.

/// A function of a counter.
template <typename Visit>
concept CounterVisitor = std::invocable < const Visit&,
        std::atomic<uint64_t>
& > ;

/// Visits a counter, those of an array, or those of a record.
template <typename Member>
void forEachCounter(Member& member, const CounterVisitor auto& visit) {
  if constexpr (std::is_same_v<Member, std::atomic<uint64_t>>) {
    visit(member);
  } else if constexpr (std::is_array_v<Member>) {
    for (auto& each : member) {
      forEachCounter(each, visit);
    }
  } else if constexpr (std::is_same_v<Member, LedgerHeader>) {
    forEachCounter(member.not_seen, visit);
    forEachCounter(member.cost, visit);
    visit(member.sections[kLast].used); // a ring: all collectives ever written
  } else if constexpr (requires { Member::kMembers; }) {
    withMembers(member, [&](auto&... members) { (forEachCounter(members, visit), ...); });
  }
}

/// Raises a number to `value`, if it is lower. Any thread, without a lock.
void raiseTo(std::atomic<uint64_t>& highest, uint64_t value);

/// Adds a duration. Any thread, without a lock.
void addDuration(LedgerDurations& durations, uint64_t ns);

/// Returns the durations added so far. If other threads are adding, each number is a value that it had at some moment.
Durations durationsOf(const LedgerDurations& durations);

} // namespace commtap
