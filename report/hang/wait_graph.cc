// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/wait_graph.h"

#include <algorithm>
#include <utility>

namespace commtap {
namespace {

/// A process that uses less of a processor than this sleeps: its other threads may poll.
constexpr double kBusyShare = 0.2;

/// Returns the state of a rank until the job was ended. All that is known then is in its report.
RankState stateAtEnd(const RankSight& sight, bool waits) {
  return waits || openCallOf(*sight.report) != nullptr ? RankState::kWaits : RankState::kEnded;
}

RankState ownStateOf(const RankSight& sight, bool waits) {
  switch (sight.report->job.exit) {
    case ExitKind::kNormal:
    case ExitKind::kUnderscoreExit:
    case ExitKind::kAfterWork:
      return RankState::kExited;
    case ExitKind::kSignal:
    case ExitKind::kKilled:
      return RankState::kKilled;
    case ExitKind::kRunning:
      break;
  }
  if (sight.look.is_stopped) {
    return RankState::kStopped;
  }
  if (sight.look.has_moved) {
    return RankState::kRuns;
  }
  if (waits || openCallOf(*sight.report) != nullptr) { // a rank that waits may do so at full speed
    return RankState::kWaits;
  }
  if (!sight.look.is_here) {
    return RankState::kUnknown;
  }
  const bool computes = sight.look.is_runnable || sight.look.cpu_share >= kBusyShare || sight.look.child_computes;
  return computes ? RankState::kRuns : RankState::kBlocked;
}

bool isDead(RankState state) {
  return state == RankState::kExited || state == RankState::kKilled || state == RankState::kNeverCame;
}

} // namespace

WaitGraph::WaitGraph(
    std::span<const RankSight> sights,
    const Waits& waits,
    const JobEnd& end,
    RankState absent,
    std::set<int64_t> elsewhere)
    : absent_(absent), elsewhere_(std::move(elsewhere)) {
  std::set<int64_t> finished;
  for (const RankSight& sight : sights) {
    const int64_t rank = sight.rank();
    const bool waits_then = waits.contains(rank);
    states_[rank] = end.alive.contains(rank) ? stateAtEnd(sight, waits_then) : ownStateOf(sight, waits_then);
    has_running_ = has_running_ || !sight.hasEnded();
    if (hasFinished(sight.report->job)) {
      finished.insert(rank);
    }
  }
  for (const auto& [rank, wait] : waits) {
    const RankState state = stateOf(rank);
    std::vector<int64_t> blockers = wait.blockers;
    if (finished.contains(rank)) { // its call completed, so a rank without a report has made it
      std::erase_if(
          blockers, [&](int64_t blocker) { return isPointToPoint(wait.call->kind) || !states_.contains(blocker); });
    }
    if (end.at_once.contains(rank) || (!isDead(state) && state != RankState::kWaits)) {
      blockers.clear();
    } else if (isDead(state)) { // it died of those that were dead before
      std::erase_if(blockers, [&](int64_t blocker) { return wait.inferred || !isDead(stateOf(blocker)); });
    }
    if (!blockers.empty()) {
      blockers_.emplace(rank, std::move(blockers));
    }
  }
}

RankState WaitGraph::stateOf(int64_t rank) const {
  const auto found = states_.find(rank);
  if (found != states_.end()) {
    return found->second;
  }
  return elsewhere_.contains(rank) ? RankState::kUnknown : absent_;
}

const std::vector<int64_t>& WaitGraph::blockersOf(int64_t rank) const {
  static const auto* none = new std::vector<int64_t>();
  const auto found = blockers_.find(rank);
  return found == blockers_.end() ? *none : found->second;
}

std::vector<int64_t> WaitGraph::ends() const {
  std::set<int64_t> ends;
  for (const auto& [rank, blockers] : blockers_) {
    for (const int64_t blocker : blockers) {
      if (!blockers_.contains(blocker)) {
        ends.insert(blocker);
      }
    }
  }
  return {ends.begin(), ends.end()};
}

std::vector<int64_t> WaitGraph::cycle() const {
  std::set<int64_t> done;
  for (const auto& [start, ignored] : blockers_) {
    std::vector<int64_t> path;
    int64_t at = start;
    while (!done.contains(at) && !blockersOf(at).empty()) {
      const auto again = std::find(path.begin(), path.end(), at);
      if (again != path.end()) {
        return {again, path.end()};
      }
      path.push_back(at);
      at = blockersOf(at).front();
    }
    done.insert(path.begin(), path.end());
  }
  return {};
}

std::set<int64_t> WaitGraph::victimsOf(const std::vector<int64_t>& causes) const {
  std::map<int64_t, std::vector<int64_t>> waiters;
  for (const auto& [rank, blockers] : blockers_) {
    for (const int64_t blocker : blockers) {
      waiters[blocker].push_back(rank);
    }
  }
  std::set<int64_t> victims;
  std::vector<int64_t> next = causes;
  while (!next.empty()) {
    const int64_t rank = next.back();
    next.pop_back();
    for (const int64_t waiter : waiters[rank]) {
      const bool is_cause = std::find(causes.begin(), causes.end(), waiter) != causes.end();
      if (!is_cause && victims.insert(waiter).second) {
        next.push_back(waiter);
      }
    }
  }
  return victims;
}

} // namespace commtap
