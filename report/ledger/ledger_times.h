// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// One more duration. Any thread, without a lock.
void addDuration(LedgerDurations& durations, uint64_t ns);

/// What was added so far; while others add, each number is one that was there at some moment.
Durations durationsOf(const LedgerDurations& durations);

template <typename Visit>
void forEachCounter(LedgerTimes& times, const Visit& visit) {
  visit(times.bytes);
  for (LedgerDurations& durations : times.durations) {
    visit(durations.sum_ns);
    visit(durations.max_ns);
    visit(durations.min_ns_inverted);
    for (std::atomic<uint64_t>& count : durations.counts) {
      visit(count);
    }
  }
}

} // namespace commtap
