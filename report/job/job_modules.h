// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/job/job_report.h"
#include "report/job/rank_slots.h"
#include "report/model/module_tree.h"

namespace commtap {

/// The module tree of a job while ranks come in one after the other.
class JobModules {
 public:
  /// One process of the rank that is coming in.
  void add(const Report& report);
  void endRank(RankSlot slot, std::optional<int64_t> rank);

  /// The tree with the amounts of `rows`, the job's own, whose modules it has even where no report lists them.
  std::vector<JobModule> take(const std::vector<JobCollective>& rows, RankSets& sets);

 private:
  struct Calls {
    std::array<Spread<uint64_t>, kPhaseCount> spreads{};
    SlotSet slots;
    bool has_rank = false;
  };

  ModuleTree tree_;
  std::unordered_map<std::string, Calls> calls_;
  ModuleCalls coming_; ///< of the rank that is coming in
};

} // namespace commtap
