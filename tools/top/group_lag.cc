// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/group_lag.h"

#include <algorithm>
#include <utility>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_waits.h"
#include "tools/live/job_look.h"
#include "tools/text/call_text.h"

namespace commtap {
namespace {

GroupPosition positionOf(const HangMember& member, const CallSet& passed) {
  const Report& report = *member.sight->report;
  GroupPosition position{member.rank, report.job.host, report.job.pid, member.issued(), std::nullopt};
  if (!member.calls.empty()) {
    position.last = *member.calls.back();
    position.last_state = lastStateText(report, *member.calls.back(), passed);
  }
  return position;
}

/// Returns whether all members have issued a last collective that is not known to have ended on any of them.
bool isStalled(const GroupLag& lag) {
  return lag.group.size > 1 && lag.most() > 0 &&
         std::all_of(lag.members.begin(), lag.members.end(), [&lag](const GroupPosition& member) {
           return member.last && member.last->sequence == lag.most() && member.last->state < LastState::kCompleted;
         });
}

uint64_t lastIssueNs(const GroupLag& lag) {
  uint64_t last = 0;
  for (const GroupPosition& member : lag.members) {
    last = std::max(last, member.last ? member.last->issued_at_ns : 0);
  }
  return last;
}

/// Returns the lag of a group; nullopt if the group does not wait.
std::optional<GroupLag> lagOf(const HangGroup& group, const CallSet& passed) {
  GroupLag lag;
  const HangMember* behind = nullptr;
  for (const HangMember& member : group.members) {
    if (member.group != nullptr) {
      behind = behind == nullptr || member.issued() < behind->issued() ? &member : behind;
      lag.group = *member.group;
      lag.run = runName(member.sight->report->job);
      lag.members.push_back(positionOf(member, passed));
    }
  }
  std::stable_sort(lag.members.begin(), lag.members.end(), [](const GroupPosition& a, const GroupPosition& b) {
    return a.collectives < b.collectives;
  });
  if (behind == nullptr) { // no report is of a rank in the group
    return std::nullopt;
  }
  if (lag.size() == 0) {
    lag.since_ns = lastIssueNs(lag);
    return isStalled(lag) ? std::optional(lag) : std::nullopt;
  }
  int64_t rank = 0;
  if (const LastCollective* missing = firstMissing(group, *behind, rank)) {
    lag.missing = *missing;
    lag.since_ns = missing->issued_at_ns;
  }
  return lag;
}

} // namespace

std::vector<GroupLag> lagsOf(std::span<const Report* const> reports) {
  const CallSet passed = passedCalls(reports);
  std::vector<GroupLag> lags;
  for (const std::vector<const Report*>& attempt : attemptsOf(reports)) {
    const std::vector<RankSight> sights = sightsOf(attempt);
    const HangGroups groups(sights);
    for (const HangGroup& group : groups.all()) {
      if (std::optional<GroupLag> lag = lagOf(group, passed)) {
        lags.push_back(std::move(*lag));
      }
    }
  }
  std::stable_sort(lags.begin(), lags.end(), [](const GroupLag& a, const GroupLag& b) {
    return a.since_ns != b.since_ns ? a.since_ns < b.since_ns : a.size() > b.size();
  });
  return lags;
}

} // namespace commtap
