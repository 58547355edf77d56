// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/late_watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/model/amounts.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// The waits of a group's calls in one step. Ranks are positions in the group.
struct StepWaits {
  uint64_t seen_ns = 0;
  std::vector<uint64_t> for_rank; ///< how long calls of others waited for the rank
  std::vector<uint64_t> of_rank;  ///< how long calls of the rank waited for others
};

using WaitsByStep = std::map<uint64_t, StepWaits>;

/// Returns the issue times of one collective, by position in the group; none if a report does not hold it.
std::vector<uint64_t> issueTimes(const HangGroup& group, uint64_t sequence) {
  std::vector<uint64_t> times;
  for (const HangMember& member : group.members) {
    const LastCollective* call = member.call(sequence);
    if (call == nullptr) {
      return {};
    }
    times.push_back(call->issued_at_ns);
  }
  return times;
}

/// Returns the step of a call that all ranks count in the same step; otherwise nullopt.
std::optional<uint64_t> stepOf(const HangGroup& group, uint64_t sequence) {
  const uint64_t step = group.members.front().call(sequence)->step;
  const bool agree = std::all_of(group.members.begin(), group.members.end(), [&](const HangMember& member) {
    const LastCollective& call = *member.call(sequence);
    return call.step == step && leavesTogether(call.kind);
  });
  return agree ? std::optional(step) : std::nullopt;
}

/// Returns a time at which at least half of the ranks other than `last` had issued the call.
uint64_t medianOfOthers(std::vector<uint64_t> times, size_t last) {
  times.erase(times.begin() + static_cast<std::ptrdiff_t>(last));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

uint64_t from(uint64_t start_ns, uint64_t end_ns) {
  return end_ns > start_ns ? end_ns - start_ns : 0;
}

/// Adds a call that could begin to wait at `free_ns`, when all ranks had issued the calls before.
void addCall(const std::vector<uint64_t>& times, uint64_t free_ns, StepWaits& waits) {
  waits.for_rank.resize(times.size());
  waits.of_rank.resize(times.size());
  const auto last = static_cast<size_t>(std::max_element(times.begin(), times.end()) - times.begin());
  waits.seen_ns += from(free_ns, times[last]);
  waits.for_rank[last] += from(std::max(free_ns, medianOfOthers(times, last)), times[last]);
  for (size_t i = 0; i < times.size(); ++i) {
    waits.of_rank[i] += from(std::max(free_ns, times[i]), times[last]);
  }
}

/// Returns the waits of the group in the steps from `first` until before `end`, as far as all reports hold their calls.
WaitsByStep waitsOf(const HangGroup& group, uint64_t first, uint64_t end) {
  WaitsByStep waits;
  uint64_t free_ns = 0; // 0: unknown
  for (const LastCollective* call : group.members.front().calls) {
    const std::vector<uint64_t> times = issueTimes(group, call->sequence);
    if (times.empty()) {
      free_ns = 0;
      continue;
    }
    const std::optional<uint64_t> step = stepOf(group, call->sequence);
    if (free_ns != 0 && step && *step >= first && *step < end) {
      addCall(times, free_ns, waits[*step]);
    }
    free_ns = std::max(free_ns, *std::max_element(times.begin(), times.end()));
  }
  return waits;
}

/// Returns whether all ranks of the group run on one host, and one can wait for another.
bool isOnOneHost(const HangGroup& group) {
  return group.members.size() > 1 && group.hasAllReports() &&
         std::all_of(group.members.begin(), group.members.end(), [&group](const HangMember& member) {
           return !member.calls.empty() && member.sight->report->job.host == group.members[0].sight->report->job.host;
         });
}

std::vector<const HangGroup*> groupsOfOneHost(const HangGroups& all) {
  std::vector<const HangGroup*> groups;
  for (const HangGroup& group : all.all()) {
    if (isOnOneHost(group)) {
      groups.push_back(&group);
    }
  }
  return groups;
}

/// Returns the first step that a rank may not have completed. Calls are issued in the order of the steps.
uint64_t firstOpenStep(const std::vector<const HangGroup*>& groups) {
  uint64_t step = UINT64_MAX;
  for (const HangGroup* group : groups) {
    for (const HangMember& member : group->members) {
      step = std::min(step, member.sight->report->last.back().step);
    }
  }
  return step;
}

bool isSame(const LateRank& a, const LateRank& b) {
  return a.run_id == b.run_id && a.attempt == b.attempt && a.rank == b.rank;
}

/// How long a rank's calls waited for others in all groups, by step and rank.
using WaitedByRank = std::map<std::pair<uint64_t, int64_t>, uint64_t>;

WaitedByRank waitedByRank(const std::vector<const HangGroup*>& groups, const std::vector<WaitsByStep>& waits) {
  WaitedByRank waited;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const auto& [step, of_step] : waits[g]) {
      for (size_t i = 0; i < of_step.of_rank.size(); ++i) {
        waited[{step, groups[g]->members[i].rank}] += of_step.of_rank[i];
      }
    }
  }
  return waited;
}

} // namespace

std::vector<LateRank> LateWatch::look(const JobLook& now) {
  const std::vector<LateRank> before = late();
  for (auto& [key, history] : histories_) {
    history.seen = false;
  }
  std::vector<const Report*> running;
  for (const SeenProcess& process : now.processes) {
    if (process.report->job.exit == ExitKind::kRunning) {
      running.push_back(process.report.get());
    }
  }
  for (const std::vector<const Report*>& attempt : attemptsOf(running)) {
    lookAt(attempt);
  }
  std::erase_if(histories_, [](const auto& entry) { return !entry.second.seen; });
  std::vector<LateRank> found = late();
  std::erase_if(found, [&before](const LateRank& rank) {
    return std::any_of(before.begin(), before.end(), [&rank](const LateRank& known) { return isSame(known, rank); });
  });
  return found;
}

void LateWatch::lookAt(const std::vector<const Report*>& attempt) {
  const std::vector<RankSight> sights = sightsOf(attempt);
  const HangGroups all(sights);
  const std::vector<const HangGroup*> groups = groupsOfOneHost(all);
  const uint64_t end = firstOpenStep(groups);
  std::vector<WaitsByStep> waits;
  waits.reserve(groups.size());
  for (const HangGroup* group : groups) {
    waits.push_back(waitsOf(*group, historyOf(*group).next_step, end));
  }
  const WaitedByRank waited = waitedByRank(groups, waits);
  for (size_t i = 0; i < groups.size(); ++i) {
    History& history = historyOf(*groups[i]);
    history.seen = true;
    for (const auto& [number, of_step] : waits[i]) {
      const auto longest = std::max_element(of_step.for_rank.begin(), of_step.for_rank.end());
      const int64_t rank = groups[i]->members[static_cast<size_t>(longest - of_step.for_rank.begin())].rank;
      const double least = kLeastWait * static_cast<double>(of_step.seen_ns);
      const uint64_t own = waited.at({number, rank});
      const bool is_late = *longest > own && static_cast<double>(*longest - own) >= least;
      history.add({is_late ? std::optional(rank) : std::nullopt, *longest, of_step.seen_ns});
      history.next_step = number + 1;
    }
    history.judge();
  }
}

LateWatch::History& LateWatch::historyOf(const HangGroup& group) {
  const HangMember& first = group.members.front();
  const Job& job = first.sight->report->job;
  const RankRanges ranks = group.ranks();
  History& history = histories_[{job.run_id, job.attempt, first.group->name, rangesText(ranks), job.started_at_ns}];
  history.found.run_id = job.run_id;
  history.found.attempt = job.attempt;
  history.found.group = group.title;
  history.found.members = ranks;
  return history;
}

void LateWatch::History::add(const Step& step) {
  steps.push_back(step);
  weight += step.weight();
  while (weight - steps.front().weight() >= kMostSteps) {
    weight -= steps.front().weight();
    steps.pop_front();
  }
}

void LateWatch::History::judge() {
  std::map<int64_t, LateRank> ranks;
  for (const Step& step : steps) {
    if (step.late) {
      LateRank& rank = ranks[*step.late];
      ++rank.late_steps;
      rank.wait_ns += static_cast<double>(step.wait_ns);
      rank.step_ns += static_cast<double>(step.seen_ns);
    }
  }
  const auto most = std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return a.second.late_steps < b.second.late_steps;
  });
  const bool was_late = is_late && most != ranks.end() && most->first == found.rank;
  const double share = was_late ? kStaysLate : kBecomesLate;
  is_late = most != ranks.end() && weight >= kLeastSteps &&
            static_cast<double>(most->second.late_steps) >= share * static_cast<double>(steps.size());
  if (is_late) {
    const auto count = static_cast<double>(most->second.late_steps);
    found.rank = most->first;
    found.late_steps = most->second.late_steps;
    found.steps = steps.size();
    found.wait_ns = most->second.wait_ns / count;
    found.step_ns = most->second.step_ns / count;
  }
}

std::vector<LateRank> LateWatch::late() const {
  std::vector<LateRank> late;
  for (const auto& [key, history] : histories_) {
    if (!history.is_late) {
      continue;
    }
    const LateRank& found = history.found;
    const auto known =
        std::find_if(late.begin(), late.end(), [&found](const LateRank& rank) { return isSame(rank, found); });
    if (known == late.end()) {
      late.push_back(found);
    } else if (found.wait_ns > known->wait_ns) {
      *known = found;
    }
  }
  return late;
}

std::string lateRankLine(const LateRank& late) {
  return fmt::format(
      "rank {} is late: in {} of the last {} steps seen, the calls of group {} [{}] waited longest for it: {} of {} on "
      "average",
      late.rank,
      late.late_steps,
      late.steps,
      inert(late.group),
      rangesText(late.members),
      humanDuration(late.wait_ns),
      humanDuration(late.step_ns));
}

} // namespace commtap
