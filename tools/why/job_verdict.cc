// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/job_verdict.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_judge.h"
#include "report/job/job_summary.h"
#include "report/model/not_seen.h"
#include "tools/live/job_look.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"
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

/// Withdraws the verdict if a ledger is damaged: what its rank issued may be lost, and then others seem to wait for it.
void withdrawIfDamaged(std::span<const RankSight> sights, Verdict& verdict) {
  std::vector<int64_t> damaged;
  for (const RankSight& sight : sights) {
    if (isDamaged(*sight.report)) {
      damaged.push_back(sight.rank());
    }
  }
  if (!damaged.empty()) {
    Verdict unknown;
    unknown.run_id = verdict.run_id;
    unknown.attempt = verdict.attempt;
    unknown.world_size = verdict.world_size;
    unknown.quiet_s = verdict.quiet_s;
    unknown.reported = verdict.reported;
    unknown.reason = HangReason::kDamaged;
    unknown.cause = rankRanges(std::move(damaged));
    verdict = std::move(unknown);
  }
}

uint64_t movedNs(const JobLook& look, const std::string& run_id) {
  const auto moved = look.moved_ns.find(run_id);
  return moved == look.moved_ns.end() ? 0 : moved->second;
}

/// Returns the verdict on ranks that have joined no process group. What the folders have is of an older job.
Verdict notJoined(const JobLook& now) {
  Verdict verdict;
  verdict.reason = HangReason::kNotJoined;
  std::vector<int64_t> ranks;
  for (const StartedProcess& process : now.started) {
    if (!process.rank.empty()) {
      ranks.push_back(std::stoll(process.rank));
    }
  }
  verdict.cause = rankRanges(std::move(ranks));
  verdict.line = "cannot tell: " + startedText(now.started);
  verdict.problems = now.problems;
  return verdict;
}

} // namespace

Verdict verdictOf(const EarlierLook& before, const JobLook& now, double patience_s) {
  if (!now.started.empty()) {
    return notJoined(now);
  }
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
    const bool has_all = now.has_all_hosts && now.problems.empty(); // what cannot be read may be of an absent rank
    verdict = judge(sights, {now.at_ns, patience_s, has_all, movedNs(now, sights.back().report->job.run_id)});
    withdrawIfDamaged(sights, verdict);
    verdict.reported = now.has_all_hosts ? verdict.reported : 0; // the ranks that have ended are not in every look
  }
  verdict.patience_s = patience_s;
  verdict.problems = now.problems;
  verdict.line = lineOf(verdict);
  return verdict;
}

bool needsLook(const Verdict& verdict) {
  const bool is_unknown = verdict.status == HangStatus::kUnknown && verdict.reason != HangReason::kKilled;
  return verdict.status != HangStatus::kHealthy && !is_unknown;
}

std::string endedLine(const JobReport& job, const std::string& folder) {
  const bool has_ended_badly = hasEndedBadly(job);
  if (!has_ended_badly && (isRunning(job) || seriousDisagreements(job).empty())) {
    return "";
  }
  const JobLook look = lookAt({folder});
  const Verdict verdict = verdictOf(earlier(look), look, kDefaultPatienceS);
  const bool is_other = verdict.run_id != job.run_id || verdict.attempt != job.attempt;
  const bool has_news = has_ended_badly || needsLook(verdict);
  return is_other || !has_news ? "" : fmt::format("why: {}: commtap why {}\n", verdict.line, placeOf(job, folder));
}

} // namespace commtap
