// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/group_lag.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "tools/live/traffic.h"
#include "tools/text/last_text.h"

namespace commtap {
namespace {

/// Identifies a process group of one attempt of one run, whichever rank reports it: run, attempt, name, size, ranks.
using JobGroupKey = std::tuple<std::string, int64_t, std::string, uint32_t, std::vector<uint32_t>>;

JobGroupKey groupKeyOf(const Job& job, const Group& group) {
  return {job.run_id, job.attempt, group.name, group.size, group.ranks};
}

/// Returns the member's collective with that sequence number, or the last one if `sequence` is not given; nullptr if
/// the report does not hold it.
const LastCollective*
lastIn(const Report& report, const std::string& group, std::optional<uint64_t> sequence = std::nullopt) {
  for (auto last = report.last.rbegin(); last != report.last.rend(); ++last) {
    if (last->group == group && !isPointToPoint(last->kind) && (!sequence || last->sequence == *sequence)) {
      return &*last;
    }
  }
  return nullptr;
}

GroupPosition positionOf(const Report& report, const Group& group) {
  const Job& job = report.job;
  GroupPosition position{job.rank, job.host, job.pid, group.collectives, std::nullopt};
  if (const LastCollective* last = lastIn(report, group.name)) {
    position.last = *last;
    position.last_state = lastStateText(report, *last);
  }
  return position;
}

/// Returns the next collective of the member furthest behind, as the first other member issued it.
std::optional<LastCollective>
missingIn(std::span<const Report* const> reports, const JobGroupKey& key, uint64_t sequence) {
  std::optional<LastCollective> missing;
  for (const Report* report : reports) {
    for (const Group& group : report->groups) {
      if (group.collectives < sequence || groupKeyOf(report->job, group) != key) {
        continue;
      }
      const LastCollective* found = lastIn(*report, group.name, sequence);
      if (found != nullptr && (!missing || found->issued_at_ns < missing->issued_at_ns)) {
        missing = *found;
      }
    }
  }
  return missing;
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

/// Completes a group's lag. Returns false if the group does not wait.
bool complete(GroupLag& lag, std::span<const Report* const> reports, const JobGroupKey& key) {
  std::stable_sort(lag.members.begin(), lag.members.end(), [](const GroupPosition& a, const GroupPosition& b) {
    return a.collectives < b.collectives;
  });
  if (lag.size() == 0) {
    lag.since_ns = lastIssueNs(lag);
    return isStalled(lag);
  }
  lag.missing = missingIn(reports, key, lag.members.front().collectives + 1);
  lag.since_ns = lag.missing ? lag.missing->issued_at_ns : lag.since_ns;
  return true;
}

} // namespace

std::vector<GroupLag> lagsOf(std::span<const Report* const> reports) {
  std::map<JobGroupKey, GroupLag> groups;
  for (const Report* report : reports) {
    const Job& job = report->job;
    for (const Group& group : report->groups) {
      GroupLag& lag = groups[groupKeyOf(job, group)];
      lag.group = group;
      lag.run = runName(job);
      lag.members.push_back(positionOf(*report, group));
    }
  }
  std::vector<GroupLag> lags;
  for (auto& [key, lag] : groups) {
    if (complete(lag, reports, key)) {
      lags.push_back(std::move(lag));
    }
  }
  std::stable_sort(lags.begin(), lags.end(), [](const GroupLag& a, const GroupLag& b) {
    return a.since_ns != b.since_ns ? a.since_ns < b.since_ns : a.size() > b.size();
  });
  return lags;
}

} // namespace commtap
