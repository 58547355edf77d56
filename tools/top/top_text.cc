// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/top_text.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/model/amounts.h"
#include "tools/live/process_state.h"
#include "tools/text/call_text.h"
#include "tools/text/text.h"
#include "tools/top/group_lag.h"
#include "tools/top/top_rates.h"
#include "tools/why/job_verdict.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// Seconds without a new collective in a group before its lag is shown in full: a shorter lag is normal progress.
constexpr double kQuietSeconds = 3;
constexpr double kQuietSecondsAfterReturn = 30;
constexpr size_t kMaxMembers = 8;

double secondsSince(uint64_t then_ns, uint64_t now_ns) {
  return now_ns > then_ns ? static_cast<double>(now_ns - then_ns) / 1e9 : 0;
}

std::string positionText(const GroupPosition& member, uint64_t now_ns) {
  const bool has_none = member.collectives == 0;
  const std::string text =
      rankName(member.rank) + " has issued " + (has_none ? "none" : std::to_string(member.collectives));
  if (!member.last) {
    return text + (has_none ? "" : "; its last one is no longer recorded");
  }
  const LastCollective& last = *member.last;
  return text + fmt::format(
                    "; the last, {:.1f} s ago: {}, {}",
                    secondsSince(last.issued_at_ns, now_ns),
                    collectiveText(last),
                    member.last_state);
}

std::string processText(const GroupPosition& member, const JobLook& look) {
  const auto found = std::find_if(look.processes.begin(), look.processes.end(), [&member](const SeenProcess& process) {
    return process.report->job.pid == member.pid && process.report->job.host == member.host;
  });
  const std::string state = processStateText(found == look.processes.end() ? std::nullopt : found->sample);
  return fmt::format("; pid {} on {} {}", member.pid, inert(member.host), state);
}

/// Returns how long a group must be quiet to be shown. Whether a collective whose call has returned still runs is not
/// known: the ranks may compute.
double patienceFor(const GroupLag& lag) {
  const bool blocked = std::any_of(lag.members.begin(), lag.members.end(), [](const GroupPosition& member) {
    return member.last && member.last->state == LastState::kIssued;
  });
  return lag.size() > 0 || blocked ? kQuietSeconds : kQuietSecondsAfterReturn;
}

bool isQuiet(const GroupLag& lag, uint64_t now_ns) {
  const double patience = patienceFor(lag);
  return std::none_of(lag.members.begin(), lag.members.end(), [&](const GroupPosition& member) {
    return member.last && secondsSince(member.last->issued_at_ns, now_ns) < patience;
  });
}

/// Returns what the group waits for, without the line's end.
std::string lagTitle(const GroupLag& lag, uint64_t now_ns) {
  const std::string group = inert(groupTitle(lag.group));
  if (lag.size() > 0) {
    return fmt::format(
        "group {}: {} is {} behind, and no rank made progress for {:.0f} s",
        group,
        rankName(lag.members.front().rank),
        lag.size() == 1 ? "1 collective" : std::to_string(lag.size()) + " collectives",
        kQuietSeconds);
  }
  return fmt::format(
      "group {}: all issued number {}, none completed for {:.0f} s: {}",
      group,
      lag.most(),
      secondsSince(lag.since_ns, now_ns),
      collectiveText(*lag.members.front().last));
}

std::string lagText(const GroupLag& lag, const JobLook& look, bool has_runs, const Color& color) {
  const std::string run = has_runs ? "run " + inert(lag.run) + ", " : "";
  std::string text = color.warning(run + lagTitle(lag, look.at_ns)) + "\n";
  if (lag.missing) {
    text += fmt::format("  it has not issued number {}: {}\n", lag.missing->sequence, collectiveText(*lag.missing));
  }
  for (size_t i = 0; i < std::min(kMaxMembers, lag.members.size()); ++i) {
    text += "  " + positionText(lag.members[i], look.at_ns) + processText(lag.members[i], look) + "\n";
  }
  if (lag.members.size() > kMaxMembers) {
    text += "  and " + counted(lag.members.size() - kMaxMembers, "more rank") + "\n";
  }
  return text;
}

std::vector<const Report*> reportsOf(const JobLook& look) {
  std::vector<const Report*> reports;
  for (const SeenProcess& process : look.processes) {
    reports.push_back(process.report.get());
  }
  return reports;
}

size_t runCount(std::span<const Report* const> reports) {
  std::set<std::string> runs;
  for (const Report* report : reports) {
    runs.insert(runName(report->job));
  }
  return runs.size();
}

std::string lagsText(const JobLook& look, std::span<const Report* const> reports, bool has_runs, const Color& color) {
  std::string text;
  for (const GroupLag& lag : lagsOf(reports)) {
    if (isQuiet(lag, look.at_ns)) {
      text += lagText(lag, look, has_runs, color);
    }
  }
  return text.empty() ? "" : text + "\n";
}

std::string headText(uint64_t now_ns, std::span<const Report* const> reports, const Color& color) {
  uint64_t step = 0;
  for (const Report* report : reports) {
    step = std::max(step, report->steps.empty() ? 0 : report->steps.back().first_step);
  }
  const size_t runs = runCount(reports);
  const std::string what = runs > 1 ? fmt::format("{} runs", runs) : fmt::format("step {}", step);
  return color.bold(
             fmt::format("{}  {}, {}", formatSecond(now_ns), counted(reports.size(), "process", "processes"), what)) +
         "\n\n";
}

std::string helpText(const TopView& view) {
  constexpr std::array kOrders = {"payload", "calls", "time exposed"};
  return !view.has_help
             ? ""
             : fmt::format(
                   "keys: q quits; s sorts by payload, calls or time exposed (now: {}); ? hides this line\n\n",
                   kOrders.at(static_cast<size_t>(view.order)));
}

bool hangs(const Verdict& verdict) {
  return verdict.status != HangStatus::kHealthy && verdict.status != HangStatus::kUnknown;
}

/// Returns why the job hangs, and what each rank does.
std::string verdictText(const Verdict& verdict, const Color& color) {
  const std::string text = fmt::format("{}: {}", hangStatusName(verdict.status), verdict.line);
  const std::string line = verdict.status == HangStatus::kWrong ? color.warning(text) : color.alarm(text);
  return line + "\n" + rankLines(verdict, kMaxMembers) + "\n";
}

/// Returns the reports of other runs than that of the verdict.
std::vector<const Report*> othersThan(const Verdict& verdict, std::span<const Report* const> reports) {
  std::vector<const Report*> others;
  for (const Report* report : reports) {
    if (report->job.run_id != verdict.run_id || report->job.attempt != verdict.attempt) {
      others.push_back(report);
    }
  }
  return others;
}

/// Returns a line for each rank of the runs of `reports` that is late.
std::string
lateText(const std::vector<LateRank>& late, std::span<const Report* const> reports, bool has_runs, const Color& color) {
  std::string text;
  for (const LateRank& rank : late) {
    const bool is_shown = std::any_of(reports.begin(), reports.end(), [&rank](const Report* report) {
      return report->job.run_id == rank.run_id && report->job.attempt == rank.attempt;
    });
    if (is_shown) {
      const std::string run = has_runs ? "run " + inert(rank.run_id) + ", " : "";
      text += color.warning(run + lateRankLine(rank)) + "\n";
    }
  }
  return text.empty() ? "" : text + "\n";
}

/// Returns what is wrong. A run with a verdict has no other sentence for the same fact.
std::string
alarmText(const Verdict& verdict, const TopFrame& now, std::span<const Report* const> reports, const Color& color) {
  const bool has_runs = runCount(reports) > 1;
  const auto waits = [&](std::span<const Report* const> of) {
    return lagsText(now.look, of, has_runs, color) + lateText(now.late, of, has_runs, color);
  };
  if (!hangs(verdict)) {
    return mismatchText(sequenceMismatches(reports), color) + waits(reports);
  }
  return verdictText(verdict, color) + waits(othersThan(verdict, reports));
}

/// Returns the calls in which no rank waits for another: those that others have passed, and the newest ones of ranks
/// that others wait for.
CallSet callsWithoutWait(const Verdict& verdict, const std::vector<const Report*>& reports) {
  CallSet calls = passedCalls(reports);
  if (!hangs(verdict) || !verdict.calls.empty()) { // ranks wait in calls that differ
    return calls;
  }
  for (const HangRank& rank : verdict.ranks) {
    for (const Report* report : reports) {
      const Job& job = report->job;
      const bool is_it = rank.pid == job.pid && rank.host == job.host && job.run_id == verdict.run_id;
      if (rank.role == RankRole::kCause && rank.waits_for.empty() && is_it && !report->last.empty()) {
        calls.insert(&report->last.back());
      }
    }
  }
  return calls;
}

/// Returns the newest collective of each of the first `most` processes.
std::vector<LastRow> newestRows(const std::vector<const Report*>& reports, size_t most, const CallSet& passed) {
  const bool has_runs = runCount(reports) > 1;
  std::vector<LastRow> newest;
  for (size_t i = 0; i < std::min(most, reports.size()); ++i) {
    for (LastRow& row : lastRows(*reports[i], 1, passed)) {
      row.run = has_runs ? runName(reports[i]->job) : "";
      newest.push_back(std::move(row));
    }
  }
  return newest;
}

} // namespace

void TopView::press(char key) {
  has_help = key == '?' ? !has_help : has_help;
  constexpr int kOrders = 3;
  order = key == 's' ? static_cast<RateOrder>((static_cast<int>(order) + 1) % kOrders) : order;
}

std::string topText(
    const EarlierFrame& before,
    const TopFrame& now,
    const TopView& view,
    const ScreenSize& screen,
    const Color& color) {
  const double seconds = secondsSince(before.look.at_ns, now.look.at_ns);
  const std::vector<const Report*> reports = reportsOf(now.look);
  const Verdict verdict = verdictOf(before.look, now.look, kQuietSecondsAfterReturn);
  const CallSet passed = callsWithoutWait(verdict, reports);
  const std::string head = headText(now.look.at_ns, reports, color) + helpText(view) +
                           wrapped(alarmText(verdict, now, reports, color), screen.columns);
  const auto textWith = [&](size_t most) {
    return head + rateTables(before.traffic, now.traffic, seconds, {most, screen.columns, view.order}, color) +
           lastText(newestRows(reports, most, passed), color);
  };
  size_t rows = view.rows;
  std::string text = textWith(rows);
  while (rows > 1 && static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) > screen.lines) {
    text = textWith(--rows);
  }
  return fitted(text, screen);
}

} // namespace commtap
