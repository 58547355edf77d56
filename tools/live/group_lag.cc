// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/group_lag.h"

#include <algorithm>
#include <map>

#include "tools/show/job_group_key.h"

namespace commtap {
namespace {

/// Returns the member's collective with that sequence number, or the last one if `number` is not given.
std::optional<LastCollective>
lastIn(const Report& report, const std::string& group, std::optional<uint64_t> sequence = std::nullopt) {
  for (auto last = report.last.rbegin(); last != report.last.rend(); ++last) {
    if (last->group == group && !isPointToPoint(last->kind) && (!sequence || last->sequence == *sequence)) {
      return *last;
    }
  }
  return std::nullopt;
}

/// Returns the next collective of the member furthest behind, as another member issued it.
std::optional<LastCollective>
missingIn(std::span<const Report* const> reports, const JobGroupKey& key, uint64_t sequence) {
  for (const Report* report : reports) {
    for (const Group& group : report->groups) {
      if (group.collectives >= sequence && keyOf(report->job, group) == key) {
        if (auto found = lastIn(*report, group.name, sequence)) {
          return found;
        }
      }
    }
  }
  return std::nullopt;
}

} // namespace

std::vector<GroupLag> lagsOf(std::span<const Report* const> reports) {
  std::map<JobGroupKey, GroupLag> groups;
  for (const Report* report : reports) {
    const Job& job = report->job;
    for (const Group& group : report->groups) {
      GroupLag& lag = groups[keyOf(job, group)];
      lag.group = group;
      lag.members.push_back({job.rank, group.collectives, lastIn(*report, group.name)});
    }
  }
  std::vector<GroupLag> lags;
  for (auto& [key, lag] : groups) {
    std::stable_sort(lag.members.begin(), lag.members.end(), [](const GroupPosition& a, const GroupPosition& b) {
      return a.collectives < b.collectives;
    });
    if (lag.size() > 0) {
      lag.missing = missingIn(reports, key, lag.members.front().collectives + 1);
      lags.push_back(std::move(lag));
    }
  }
  std::stable_sort(lags.begin(), lags.end(), [](const GroupLag& a, const GroupLag& b) { return a.size() > b.size(); });
  return lags;
}

} // namespace commtap
