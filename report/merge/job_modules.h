// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/job/job_report.h"
#include "report/merge/rank_slots.h"
#include "report/model/module_tree.h"

namespace commtap {

/// Builds the module tree of a job. Ranks are added one after the other.
class JobModules {
 public:
  /// Adds a process of the current rank.
  void add(const Report& report);
  void endRank(RankSlot slot, std::optional<int64_t> rank);

  /// Returns the tree with the amounts of `rows`, which are the job's. It includes the modules of `rows` that no report
  /// lists.
  std::vector<JobModule> take(const std::vector<JobCollective>& rows, RankSets& sets);

 private:
  struct Calls {
    std::array<Spread<uint64_t>, kPhaseCount> spreads{};
    SlotSet slots;
    bool has_rank = false;
  };

  ModuleTree tree_;
  std::unordered_map<std::string, Calls> calls_;
  ModuleCalls coming_; ///< calls of the current rank
};

} // namespace commtap
