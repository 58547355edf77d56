// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/cost_sample.h"

#include <algorithm>
#include <atomic>

#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

/// Returns the clock's own share of a timed call in ns: the shortest of several readings.
uint64_t clockNs() {
  static const uint64_t shortest = [] {
    uint64_t best = CostSample::kRareNs;
    for (int i = 0; i < 32; ++i) {
      const uint64_t began = steadyNow();
      best = std::min(best, steadyNow() - began);
    }
    return best;
  }();
  return shortest;
}

} // namespace

thread_local constinit CostSample::Tick CostSample::tls_other_;

uint32_t CostSample::Tick::choose() {
  left_ = every_;
  if (++measured_ == kOfEach && every_ < kMaxEvery) {
    measured_ = 0;
    every_ = static_cast<uint16_t>(every_ * 4 + 1); // odd: samples both kinds of calls if two kinds alternate
  }
  return left_;
}

void CostSample::begin() {
  began_at_ns_ = steadyNow();
}

void CostSample::end() const {
  const uint64_t passed = steadyNow() - began_at_ns_;
  const uint64_t spent = passed - std::min(passed, clockNs());
  const uint64_t calls = spent > kRareNs ? 1 : stands_for_;
  LedgerCost& cost = ProcessLedger::ledger().header().cost;
  cost.spent_ns[static_cast<size_t>(part_)].fetch_add(spent * calls, std::memory_order_relaxed);
}

} // namespace commtap
