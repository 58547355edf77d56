// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_modules.h"

#include <utility>

#include "report/model/saturating.h"

namespace commtap {

void JobModules::add(const Report& report) {
  ModuleCalls calls = cleanCalls(report);
  tree_.add(report);
  if (coming_.empty()) {
    coming_ = std::move(calls);
    return;
  }
  for (const auto& [name, phases] : calls) {
    auto& sums = coming_[name];
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      addSaturating(sums[phase], phases[phase]);
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
    tree_.own(row.module)[{row.phase, row.kind}] += sumOf(row.amount);
  }
  std::vector<JobModule> modules;
  for (ModuleNode& node : tree_.take()) {
    const Calls& calls = calls_[node.name];
    JobModule& module = modules.emplace_back();
    static_cast<ModuleNode&>(module) = std::move(node);
    module.rank_set = sets.idOf(calls.slots);
    module.calls = calls.spreads;
  }
  return modules;
}

} // namespace commtap
