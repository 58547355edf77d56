// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_counters.h"

#include "report/model/saturating.h"

namespace commtap {

void raiseTo(std::atomic<uint64_t>& highest, uint64_t value) {
  uint64_t seen = highest.load(std::memory_order_relaxed);
  while (seen < value && !highest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

void addDuration(LedgerDurations& durations, uint64_t ns) {
  durations.sum_ns.fetch_add(ns, std::memory_order_relaxed);
  raiseTo(durations.max_ns, ns);
  raiseTo(durations.min_ns_inverted, ~ns);
  durations.counts[durationClass(ns)].fetch_add(1, std::memory_order_relaxed);
}

Durations durationsOf(const LedgerDurations& durations) {
  Durations read;
  for (uint32_t i = 0; i < kDurationClasses; ++i) {
    if (const uint64_t count = durations.counts[i].load(std::memory_order_relaxed); count > 0) {
      read.histogram[durationClassStart(i)] = count;
      addSaturating(read.count, count);
    }
  }
  if (read.count > 0) {
    read.sum_ns = durations.sum_ns.load(std::memory_order_relaxed);
    read.max_ns = durations.max_ns.load(std::memory_order_relaxed);
    read.min_ns = ~durations.min_ns_inverted.load(std::memory_order_relaxed);
  }
  return read;
}

} // namespace commtap
