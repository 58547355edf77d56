// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/calls_until_end.h"

#include <algorithm>
#include <map>

#include "report/base/process.h"
#include "report/hang/job_end.h"

namespace commtap {
namespace {

using EndTimes = std::map<int64_t, uint64_t>; ///< by rank

void addEarlier(EndTimes& times, int64_t rank, uint64_t at_ns) {
  const auto [known, is_new] = times.emplace(rank, at_ns);
  known->second = std::min(known->second, at_ns);
}

/// Returns whether the rank failed by itself after it had waited for so long in a collective: its last call.
bool gaveUp(const Report& report, uint64_t patience_ns) {
  const Job& job = report.job;
  const bool failed = job.exit != ExitKind::kRunning && job.exit != ExitKind::kKilled && !hasFinished(job);
  if (!failed || !job.ended_at_ns || signalOfEnd(report) || report.last.empty()) {
    return false;
  }
  const LastCollective& call = report.last.back();
  return !isPointToPoint(call.kind) && call.sequence != 0 && call.state < LastState::kCompleted &&
         *job.ended_at_ns >= call.issued_at_ns + std::min(patience_ns, kTimeoutNs);
}

/// Adds the ranks that came to the call after `report` had given it up.
void addLate(const HangGroups& groups, const Report& report, EndTimes& times) {
  const LastCollective& given_up = report.last.back();
  const HangGroup* group = groups.groupOf(report, given_up.group);
  if (group == nullptr) {
    return;
  }
  const uint64_t ended_ns = *report.job.ended_at_ns;
  for (const HangMember& member : group->members) {
    const LastCollective* call = member.call(given_up.sequence);
    if (call == nullptr || !member.sight->hasEnded()) {
      continue;
    }
    const uint64_t margin_ns = member.sight->report->job.host == report.job.host ? 0 : kClocksNs;
    if (call->issued_at_ns > ended_ns + margin_ns) {
      addEarlier(times, member.rank, ended_ns + margin_ns);
    }
  }
}

EndTimes endTimesOf(std::span<const RankSight> sights, uint64_t patience_ns) {
  EndTimes times;
  std::vector<const Report*> given_up;
  for (const RankSight& sight : sights) {
    if (const std::optional<uint64_t> signal_ns = signalOfEnd(*sight.report)) {
      addEarlier(times, sight.rank(), *signal_ns);
    }
    if (gaveUp(*sight.report, patience_ns)) {
      given_up.push_back(sight.report);
    }
  }
  if (!given_up.empty()) {
    const HangGroups groups(sights);
    for (const Report* report : given_up) {
      addLate(groups, *report, times);
    }
  }
  return times;
}

} // namespace

CallsUntilEnd::CallsUntilEnd(std::span<const RankSight> sights, uint64_t patience_ns)
    : sights_(sights.begin(), sights.end()) {
  const EndTimes times = endTimesOf(sights, patience_ns);
  for (RankSight& sight : sights_) {
    if (const auto found = times.find(sight.rank()); found != times.end()) {
      cut(sight, found->second);
    }
  }
}

void CallsUntilEnd::cut(RankSight& sight, uint64_t until_ns) {
  const auto isLate = [until_ns](const LastCollective& call) { return call.issued_at_ns > until_ns; };
  if (std::none_of(sight.report->last.begin(), sight.report->last.end(), isLate)) {
    return;
  }
  Report& report = reports_.emplace_back(*sight.report);
  for (const LastCollective& call : report.last) {
    const auto group = std::find_if(
        report.groups.begin(), report.groups.end(), [&call](const Group& each) { return each.name == call.group; });
    if (isLate(call) && group != report.groups.end()) {
      uint64_t& issued = isPointToPoint(call.kind) ? group->point_to_point : group->collectives;
      issued -= std::min<uint64_t>(issued, 1);
    }
  }
  std::erase_if(report.last, isLate);
  sight.report = &report;
}

} // namespace commtap
