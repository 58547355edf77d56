// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_ranks.h"

#include <algorithm>
#include <set>

#include "report/job/job_summary.h"
#include "report/model/amounts.h"

namespace commtap {
namespace {

constexpr size_t kMostListed = 256; ///< ranks in a verdict besides the causes

/// Returns the state of a process now. Whether one that was killed at an unknown time was alive until the end is not
/// known.
RankState stateOf(const RankFacts& facts, const RankSight& sight) {
  if (!facts.end.alive.contains(sight.rank())) {
    return facts.graph.stateOf(sight.rank());
  }
  const bool is_known = facts.end.at_ns && sight.report->job.ended_at_ns;
  return is_known ? RankState::kEnded : RankState::kKilled;
}

void addCall(const RankFacts& facts, const RankSight& sight, HangRank& rank) {
  rank.waits_for = rankRanges(facts.graph.blockersOf(rank.rank));
  const LastCollective* call = sight.report->last.empty() ? nullptr : &sight.report->last.back();
  if (!rank.waits_for.empty()) {
    const Wait& wait = facts.waits.at(rank.rank);
    call = wait.call;
    rank.inferred = wait.inferred;
  }
  const HangGroup* group = call == nullptr ? nullptr : facts.groups.groupOf(*sight.report, call->group);
  if (group != nullptr) {
    rank.call = hangCallOf(*group, rank.rank, *call);
  }
}

void addOpenCall(const RankFacts& facts, const RankSight& sight, HangRank& rank) {
  const EnteredCall* open = openCallOf(*sight.report);
  if (open == nullptr || rank.state == RankState::kExited) {
    return;
  }
  rank.open_call = open->function;
  rank.open_since_ns = open->entered_at_ns;
  const bool is_timed = !sight.hasEnded() || (facts.end.at_ns && facts.end.alive.contains(rank.rank));
  if (is_timed && facts.until_ns > open->entered_at_ns) {
    rank.open_s = static_cast<double>(facts.until_ns - open->entered_at_ns) / 1e9;
  }
}

HangRank describedRank(const RankFacts& facts, const RankSight& sight) {
  const Job& job = sight.report->job;
  HangRank rank;
  rank.rank = sight.rank();
  rank.state = stateOf(facts, sight);
  rank.host = job.host;
  rank.pid = job.pid;
  rank.exit_signal = job.exit_signal;
  rank.exit_status = job.exit_status;
  rank.ended_at_ns = job.ended_at_ns;
  rank.process = sight.look.text;
  rank.child_computes = sight.look.child_computes;
  rank.steps = endedSteps(*sight.report);
  addCall(facts, sight, rank);
  addOpenCall(facts, sight, rank);
  return rank;
}

} // namespace

std::vector<HangRank> describedRanks(const RankFacts& facts, const std::vector<int64_t>& cause) {
  const std::set<int64_t> causes(cause.begin(), cause.end());
  const std::set<int64_t> victims = facts.graph.victimsOf(cause);
  std::vector<HangRank> ranks;
  size_t listed = 0;
  for (const RankSight& sight : facts.sights) {
    const bool is_cause = causes.contains(sight.rank());
    if (is_cause || listed++ < kMostListed) {
      HangRank& rank = ranks.emplace_back(describedRank(facts, sight));
      rank.role = is_cause ? RankRole::kCause : victims.contains(rank.rank) ? RankRole::kVictim : RankRole::kOther;
    }
  }
  for (const int64_t rank : cause) {
    if (facts.groups.sightOf(rank) == nullptr) {
      HangRank& absent = ranks.emplace_back();
      absent.rank = rank;
      absent.role = RankRole::kCause;
      absent.state = facts.graph.stateOf(rank);
    }
  }
  return ranks;
}

} // namespace commtap
