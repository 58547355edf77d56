// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/late_watch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "report/model/amounts.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

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

double from(uint64_t start_ns, uint64_t end_ns) {
  return end_ns > start_ns ? static_cast<double>(end_ns - start_ns) : 0;
}

/// Adds a call that could begin to wait at `free_ns`, when all ranks had issued the calls before. A rank comes late by
/// the time from the median of all ranks, and waits until the last one has come.
void addCall(
    const HangGroup& group,
    std::vector<uint64_t> times,
    uint64_t free_ns,
    const std::string& module,
    LateStep& step,
    std::map<int64_t, double>& come_ns) {
  for (uint64_t& time : times) {
    time = std::max(time, free_ns);
  }
  std::vector<uint64_t> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const uint64_t median = sorted[(sorted.size() - 1) / 2];
  for (size_t i = 0; i < times.size(); ++i) {
    const int64_t rank = group.members[i].rank;
    const double late_ns = from(median, times[i]);
    come_ns[rank] += late_ns;
    step.wait_ns[rank] += from(times[i], sorted.back());
    if (late_ns > 0) {
      step.late_ns[{rank, module, group.title, rangesText(group.ranks())}] += late_ns;
    }
  }
}

/// Adds the calls of the group in the steps from `first` until before `end`, as far as all reports hold them.
void addCalls(const HangGroup& group, uint64_t first, uint64_t end, std::map<uint64_t, LateStep>& steps) {
  std::map<uint64_t, double> seen_ns;
  std::map<uint64_t, std::map<int64_t, double>> come_ns;
  uint64_t free_ns = 0; // 0: unknown
  for (const LastCollective* call : group.members.front().calls) {
    const std::vector<uint64_t> times = issueTimes(group, call->sequence);
    if (times.empty()) {
      free_ns = 0;
      continue;
    }
    const uint64_t last_ns = *std::max_element(times.begin(), times.end());
    const std::optional<uint64_t> step = stepOf(group, call->sequence);
    if (free_ns != 0 && step && *step >= first && *step < end) {
      seen_ns[*step] += from(free_ns, last_ns);
      addCall(group, times, free_ns, call->module, steps[*step], come_ns[*step]);
    }
    free_ns = std::max(free_ns, last_ns);
  }
  for (const auto& [step, of_group] : seen_ns) {
    steps[step].seen_ns = std::max(steps[step].seen_ns, of_group);
    for (const auto& [rank, late_ns] : come_ns[step]) {
      double& most_ns = steps[step].come_ns[rank];
      most_ns = std::max(most_ns, late_ns);
    }
  }
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

/// The time that others lost for a rank, in one half of the steps and in all.
struct Loss {
  double first_ns = 0;
  double sum_ns = 0;
  double squares = 0;

  /// Returns whether the loss of all `steps` is more than chance makes of losses that differ so from step to step.
  bool isSure(double steps, double least) const {
    const double mean = sum_ns / steps;
    const double variance = std::max(0.0, squares / steps - mean * mean) / steps;
    return mean > 0 && mean * mean >= least * least * variance;
  }
};

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
  if (groups.empty()) {
    return;
  }
  const Job& job = sights.front().report->job;
  History& history = histories_[{job.run_id, job.attempt, job.started_at_ns}];
  history.seen = true;
  std::map<uint64_t, LateStep> steps;
  const uint64_t end = firstOpenStep(groups);
  for (const HangGroup* group : groups) {
    addCalls(*group, history.next_step, end, steps);
  }
  for (auto& [number, step] : steps) {
    history.next_step = number + 1;
    history.add(std::move(step));
  }
  history.judge();
  for (LateRank& late : history.late) {
    late.run_id = job.run_id;
    late.attempt = job.attempt;
  }
}

void LateWatch::History::add(LateStep step) {
  weight += step.weight();
  steps.push_back(std::move(step));
  while (weight - steps.front().weight() >= kMostSteps) {
    weight -= steps.front().weight();
    steps.pop_front();
  }
}

void LateWatch::History::judge() {
  const auto count = static_cast<double>(steps.size());
  std::map<int64_t, Loss> losses;
  double time_ns = 0;
  double first_ns = 0; // of `time_ns`, in the first half of the steps
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_first = i < steps.size() / 2;
    time_ns += steps[i].seen_ns;
    first_ns += is_first ? steps[i].seen_ns : 0;
    for (const auto& [rank, come_ns] : steps[i].come_ns) {
      const double lost_ns = come_ns - steps[i].wait_ns.at(rank);
      Loss& loss = losses[rank];
      loss.first_ns += is_first ? lost_ns : 0;
      loss.sum_ns += lost_ns;
      loss.squares += lost_ns * lost_ns;
    }
  }
  std::vector<double> sums;
  for (const auto& [rank, loss] : losses) {
    sums.push_back(loss.sum_ns);
  }
  std::sort(sums.begin(), sums.end());
  const double median = sums.empty() ? 0 : std::max(0.0, sums[(sums.size() - 1) / 2]) / count;
  const std::vector<LateRank> before = std::exchange(late, {});
  for (const auto& [rank, loss] : losses) {
    const bool was_late =
        std::any_of(before.begin(), before.end(), [rank = rank](const LateRank& known) { return known.rank == rank; });
    const double ease = was_late ? kStaysLate : 1;
    const double half = count / 2;
    const bool is_late = weight >= kLeastSteps && loss.isSure(count, ease * kLeastSure) &&
                         loss.first_ns - median * half > ease * kLeastLoss * first_ns &&
                         loss.sum_ns - loss.first_ns - median * half > ease * kLeastLoss * (time_ns - first_ns);
    if (is_late) {
      late.push_back(lateRank(rank));
      late.back().wait_ns = loss.sum_ns / count;
      late.back().step_ns = time_ns / count;
    }
  }
  std::stable_sort(
      late.begin(), late.end(), [](const LateRank& a, const LateRank& b) { return a.wait_ns > b.wait_ns; });
}

LateRank LateWatch::History::lateRank(int64_t rank) const {
  std::map<LatePlace, double> places;
  for (const LateStep& step : steps) {
    for (const auto& [place, late_ns] : step.late_ns) {
      if (std::get<0>(place) == rank) {
        places[place] += late_ns;
      }
    }
  }
  LateRank found;
  found.rank = rank;
  const auto most =
      std::max_element(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != places.end()) {
    std::tie(std::ignore, found.module, found.group, found.members) = most->first;
  }
  return found;
}

std::vector<LateRank> LateWatch::late() const {
  std::vector<LateRank> late;
  for (const auto& [key, history] : histories_) {
    late.insert(late.end(), history.late.begin(), history.late.end());
  }
  return late;
}

std::string lateRankLine(const LateRank& late) {
  return fmt::format(
      "rank {} comes late: others wait for it for {} of each step ({}), most at {} of {} [{}]",
      late.rank,
      humanDuration(late.wait_ns),
      humanDuration(late.step_ns),
      inert(late.module),
      inert(late.group),
      late.members);
}

} // namespace commtap
