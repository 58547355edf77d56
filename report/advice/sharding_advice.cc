// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/sharding_advice.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace commtap {
namespace {

using Rows = std::vector<const JobCollective*>;

/// The rows of a module's parameters and their gradients in one group.
struct Unit {
  Sharder sharder = Sharder::kNone;
  Rows forward;  ///< gathered for the forward, also ahead of it
  Rows backward; ///< gathered in the backward
  Rows repeated; ///< gathered by the module itself in a recomputation
  Rows ahead;    ///< gathered in a recomputation of another module
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
  if (forward == 0 || again == 0) {
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

/// Returns by module whether a rank called it, in any phase.
std::map<std::string_view, bool> calledModules(const JobReport& job) {
  std::map<std::string_view, bool> called;
  for (const JobModule& module : job.modules) {
    bool& is_called = called[module.name];
    for (const Spread<uint64_t>& spread : module.calls) {
      is_called = is_called || spread.sum > 0;
    }
  }
  return called;
}

} // namespace

void findSharding(const ShardedParameters& sharded, Findings& findings) {
  const std::map<std::string_view, bool> called = calledModules(findings.job());
  std::map<std::pair<std::string_view, size_t>, Unit> units;
  for (const JobCollective& row : findings.job().collectives) {
    const Sharder sharder = sharded.sharderOf(row);
    if (sharder == Sharder::kNone) {
      continue;
    }
    Unit& unit = units[{row.module, row.group}];
    unit.sharder = sharder;
    unit.add(row);
    const auto module = called.find(row.module);
    if (row.kind == Kind::kAllGather && isTraining(row) && module != called.end() && !module->second) {
      findings.add(AdviceRule::kNeverUsed, row);
    }
  }
  for (const auto& [key, unit] : units) {
    findGatheredAgain(unit, findings);
    findWideGradients(unit, findings);
  }
}

} // namespace commtap
