// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {
namespace {

using Rows = std::vector<const JobCollective*>;

/// The rows of a module's parameters and their gradients in one group.
struct Unit {
  Sharder sharder = Sharder::kNone;
  bool is_kept = false; ///< from one call of the module in a forward to the next: the forward does not free them
  Rows forward;         ///< gathered for the forward, also ahead of it
  Rows backward;        ///< gathered in the backward
  Rows repeated;        ///< gathered by the module itself in a recomputation
  Rows ahead;           ///< gathered in a recomputation of another module
  Rows reduced;

  void add(const JobCollective& row) {
    if (row.kind == Kind::kReduceScatter) {
      reduced.push_back(&row);
    } else if (row.phase == Phase::kBackward) {
      backward.push_back(&row);
    } else if (row.phase == Phase::kRecompute) {
      (row.issued_in == row.module ? repeated : ahead).push_back(&row);
    } else if (row.phase != Phase::kOptimizer) {
      forward.push_back(&row);
    }
  }
};

uint64_t callsOf(const Rows& rows) {
  uint64_t calls = 0;
  for (const JobCollective* row : rows) {
    calls += row->amount.count.sum;
  }
  return calls;
}

void addShare(AdviceRule rule, const Rows& rows, uint64_t calls, Findings& findings) {
  const double share = calls == 0 ? 0 : static_cast<double>(calls) / static_cast<double>(callsOf(rows));
  for (const JobCollective* row : share > 0 ? rows : Rows()) {
    findings.add(rule, *row, {share, share});
  }
}

/// A forward's parameters are gathered once more for its backward. Gathers beyond that are a recomputation's.
void findGatheredAgain(const Unit& unit, Findings& findings) {
  uint64_t forward = 0;
  for (const JobCollective* row : unit.forward) {
    forward += findings.trainingCalls(*row); // an evaluation gathers without a backward
  }
  const uint64_t again = callsOf(unit.backward) + callsOf(unit.repeated) + callsOf(unit.ahead);
  if (forward == 0 || again == 0 || unit.is_kept) {
    return;
  }
  uint64_t beyond = again - std::min(again, forward);
  const auto take = [&beyond](const Rows& rows) {
    const uint64_t taken = std::min(beyond, callsOf(rows));
    beyond -= taken;
    return taken;
  };
  const uint64_t ahead = take(unit.ahead);
  const uint64_t repeated = take(unit.repeated);
  const uint64_t backward = take(unit.backward); // of no recomputation: no rule says why
  addShare(AdviceRule::kPrefetchedInRecompute, unit.ahead, ahead, findings);
  addShare(AdviceRule::kGatheredInRecompute, unit.repeated, repeated, findings);
  const AdviceRule twice =
      unit.sharder == Sharder::kFsdp1 ? AdviceRule::kGatheredTwiceFsdp1 : AdviceRule::kGatheredTwice;
  addShare(twice, unit.backward, callsOf(unit.backward) - backward, findings);
  addShare(twice, unit.repeated, callsOf(unit.repeated) - repeated, findings);
  addShare(twice, unit.ahead, callsOf(unit.ahead) - ahead, findings);
}

void findWideGradients(const Unit& unit, Findings& findings) {
  const bool is_half =
      !unit.forward.empty() && std::all_of(unit.forward.begin(), unit.forward.end(), [](const auto* row) {
        return row->dtype == "bfloat16" || row->dtype == "float16";
      });
  for (const JobCollective* row : is_half ? unit.reduced : Rows()) {
    if (row->dtype == "float32") {
      findings.add(AdviceRule::kWideGradients, *row, {0, 0.5});
    }
  }
}

/// Gradients of micro-batches may be added up, and reduced in the last backward before the optimizer's step.
void findReducedEachBackward(const Unit& unit, Findings& findings) {
  uint64_t ranks = 0;
  for (const JobCollective* row : unit.reduced) {
    ranks = std::max(ranks, row->amount.ranks);
  }
  const uint64_t steps = findings.trainingSteps();
  const uint64_t calls = callsOf(unit.reduced);
  if (findings.hasMicroBatches() && calls / steps >= 2 * ranks) {
    addShare(AdviceRule::kReducedEachBackward, unit.reduced, calls - steps * ranks, findings);
  }
}

} // namespace

void findSharding(const ShardedParameters& sharded, const ModuleIndex& modules, Findings& findings) {
  std::map<std::pair<std::string_view, size_t>, Unit> units;
  for (const JobCollective& row : findings.job().collectives) {
    const Sharder sharder = sharded.sharderOf(row);
    if (sharder == Sharder::kNone) {
      continue;
    }
    Unit& unit = units[{row.module, row.group}];
    unit.sharder = sharder;
    unit.add(row);
    if (row.kind == Kind::kAllGather && isTraining(row) && modules.isNeverCalled(row.module)) {
      findings.add(AdviceRule::kNeverUsed, row);
    }
  }
  std::map<std::string_view, uint64_t> gathers; // of forwards, in any group
  for (const auto& [key, unit] : units) {
    gathers[key.first] += callsOf(unit.forward);
  }
  for (auto& [key, unit] : units) {
    unit.is_kept = gathers[key.first] < modules.forwards(key.first);
    findGatheredAgain(unit, findings);
    findWideGradients(unit, findings);
    findReducedEachBackward(unit, findings);
  }
}

namespace {

bool isOfItsKinds(const JobCollective& row) {
  return row.kind == Kind::kAllGather || row.kind == Kind::kReduceScatter;
}

/// Rows of other phases have members if a call of the job's own sends a list of parameters.
bool hasParameters(const JobCollective& row) {
  const bool is_of_unit = row.phase != Phase::kOptimizer && row.phase != Phase::kOther;
  return isOfItsKinds(row) && is_of_unit && !row.members.empty() && !isMerged(row);
}

Sharder sharderFrom(const JobModule& module) {
  for (const std::string& wrapper : module.wrappers) {
    if (wrapper == "FSDPModule") {
      return Sharder::kFsdp2;
    }
    if (wrapper == "FullyShardedDataParallel") {
      return Sharder::kFsdp1;
    }
  }
  return Sharder::kNone;
}

} // namespace

ShardedParameters::ShardedParameters(const JobReport& job) {
  for (const JobModule& module : job.modules) {
    if (const Sharder sharder = sharderFrom(module); sharder != Sharder::kNone) {
      wrappers_.emplace(module.name, sharder);
    }
  }
  for (const JobCollective& row : job.collectives) {
    if (hasParameters(row)) {
      known_.insert({Place(row.group, ""), Place(row.group, row.module)});
    }
    if (mayShard(row) && row.kind == Kind::kAllGather && row.issued_in != row.module) {
      prefetched_.insert({Place(row.group, ""), Place(row.group, row.module)});
    }
  }
}

Sharder ShardedParameters::sharderOf(const JobCollective& row) const {
  if (hasParameters(row)) {
    return Sharder::kFsdp2;
  }
  const Place all(row.group, "");
  const Place own(row.group, row.module);
  if (!mayShard(row) || !prefetched_.contains(all)) {
    return Sharder::kNone;
  }
  const Sharder sharder = wrapperOf(row.module);
  const bool has_known = sharder == Sharder::kFsdp2 && known_.contains(all);
  return !has_known || (prefetched_.contains(own) && !known_.contains(own)) ? sharder : Sharder::kNone;
}

bool ShardedParameters::mayShard(const JobCollective& row) const {
  return isOfItsKinds(row) && !row.compiled && !isFunctional(row) && // FSDP calls c10d
         wrapperOf(row.module) != Sharder::kNone;
}

Sharder ShardedParameters::wrapperOf(std::string_view module) const {
  const auto found = wrappers_.find(module);
  return found == wrappers_.end() ? Sharder::kNone : found->second;
}

} // namespace commtap
