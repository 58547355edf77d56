// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "report/ledger/ledger_format.h"

namespace commtap {

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
