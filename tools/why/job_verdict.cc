// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/job_verdict.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_judge.h"
#include "report/job/job_summary.h"
#include "report/model/not_seen.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// Child processes that use less of a processor than this only wait, for work or for the rank.
constexpr double kBusyChildShare = 0.2;

/// Returns the share of a processor. The ticks of children that were not waited for are lost when they end.
double shareOf(uint64_t before_ticks, uint64_t now_ticks, double seconds) {
  const uint64_t ticks = now_ticks > before_ticks ? now_ticks - before_ticks : 0;
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)) / seconds;
}

ProcessLook compared(const EarlierLook::Process* before, const SeenProcess& now, double seconds) {
  ProcessLook look;
  look.is_here = now.sample.has_value();
  look.has_moved = hasMoved(before, now);
  if (look.is_here) {
    look.text = processStateText(now.sample);
    look.is_stopped = now.sample->state == 'T' || now.sample->state == 't';
    look.is_runnable =
        now.sample->state == 'R' || (before != nullptr && before->sample && before->sample->state == 'R');
  }
  if (look.is_here && before != nullptr && before->sample && seconds > 0) {
    look.cpu_share = shareOf(before->sample->cpu_ticks, now.sample->cpu_ticks, seconds);
    const double child_share = shareOf(before->sample->child_ticks, now.sample->child_ticks, seconds);
    look.child_computes = child_share >= kBusyChildShare || (before->sample->child_runs && now.sample->child_runs);
  }
  if (look.child_computes) {
    look.text += ", a child process computes";
  }
  return look;
}

bool isDamaged(const Report& report) {
  return std::any_of(report.not_seen.begin(), report.not_seen.end(), [](const NotSeenEntry& entry) {
    return entry.reason == kLedgerDamaged;
  });
}

/// Withdraws the verdict: what these ranks issued is not known, and others only seem to wait for them.
void withdraw(Verdict& verdict, std::vector<int64_t> ranks) {
  Verdict unknown;
  unknown.run_id = verdict.run_id;
  unknown.attempt = verdict.attempt;
  unknown.world_size = verdict.world_size;
  unknown.quiet_s = verdict.quiet_s;
  unknown.reported = verdict.reported;
  unknown.reason = HangReason::kDamaged;
  unknown.cause = rankRanges(std::move(ranks));
  verdict = std::move(unknown);
}

void withdrawIfDamaged(std::span<const RankSight> sights, Verdict& verdict) {
  std::vector<int64_t> damaged;
  for (const RankSight& sight : sights) {
    if (isDamaged(*sight.report)) {
      damaged.push_back(sight.rank());
    }
  }
  if (!damaged.empty()) {
    withdraw(verdict, std::move(damaged));
  }
}

/// Withdraws a verdict on ranks without a report if a file could not be read: it may be theirs.
void withdrawIfUnread(Verdict& verdict) {
  const bool is_absent = verdict.reason == HangReason::kNeverCame || verdict.reason == HangReason::kElsewhere;
  if (!is_absent || verdict.problems.empty()) {
    return;
  }
  std::vector<HangRank> unread;
  std::vector<int64_t> ranks;
  for (const HangRank& rank : verdict.ranks) {
    if (rank.role == RankRole::kCause && !rank.pid) {
      unread.push_back(rank);
      unread.back().state = RankState::kUnknown;
      ranks.push_back(rank.rank);
    }
  }
  if (!unread.empty()) {
    const std::vector<std::string> problems = std::move(verdict.problems);
    withdraw(verdict, std::move(ranks));
    verdict.ranks = std::move(unread);
    verdict.problems = problems;
  }
}

} // namespace

Verdict verdictOf(const EarlierLook& before, const JobLook& now, double patience_s) {
  std::map<const Report*, const SeenProcess*> all;
  std::vector<const Report*> reports;
  for (const SeenProcess& process : now.processes) {
    all.emplace(process.report.get(), &process);
    reports.push_back(process.report.get());
  }
  const double seconds = now.at_ns > before.at_ns ? static_cast<double>(now.at_ns - before.at_ns) / 1e9 : 0;
  std::vector<RankSight> sights;
  for (const Report* report : oneProcessPerRank(reports)) {
    sights.push_back({report, compared(before.find(report->job), *all.at(report), seconds)});
  }
  Verdict verdict;
  if (!sights.empty()) {
    verdict = judge(sights, {now.at_ns, patience_s, now.has_all_hosts, now.moved_ns});
    withdrawIfDamaged(sights, verdict);
  }
  verdict.problems = now.problems;
  withdrawIfUnread(verdict);
  verdict.line = lineOf(verdict);
  return verdict;
}

} // namespace commtap
