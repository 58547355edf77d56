// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_modules.h"

#include <utility>

namespace commtap {

void JobModules::add(const Report& report) {
  ModuleCalls calls = cleanCalls(report);
  tree_.add(report, calls);
  if (coming_.empty()) {
    coming_ = std::move(calls);
    return;
  }
  for (const auto& [name, phases] : calls) {
    auto& sums = coming_[name];
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      sums[phase] += phases[phase];
    }
  }
}

void JobModules::endRank(RankSlot slot, std::optional<int64_t> rank) {
  for (const auto& [name, phases] : coming_) {
    Calls& calls = calls_[name];
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      addToSpread(calls.spreads[phase], phases[phase], rank, !calls.has_rank);
    }
    calls.has_rank = true;
    calls.slots.add(slot);
  }
  coming_.clear();
}

std::vector<JobModule> JobModules::take(const std::vector<JobCollective>& rows, RankSets& sets) {
  for (const JobCollective& row : rows) {
    const RankedAmount& amount = row.amount;
    tree_.own(row.module)[{row.phase, row.kind}] += {amount.count.sum, amount.bytes.sum, amount.bus_bytes.sum};
  }
  std::vector<JobModule> modules;
  for (ModuleTotals& totals : tree_.take()) {
    const Calls& calls = calls_[totals.name];
    modules.push_back(
        {std::move(totals.name),
         std::move(totals.class_name),
         totals.parent,
         totals.depth,
         sets.idOf(calls.slots),
         calls.spreads,
         std::move(totals.own),
         std::move(totals.inclusive)});
  }
  return modules;
}

} // namespace commtap
