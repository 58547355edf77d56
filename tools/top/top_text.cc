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
#include "tools/text/call_text.h"
#include "tools/text/text.h"
#include "tools/top/top_rates.h"
#include "tools/why/job_verdict.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// Seconds without an event after which a wait is shown: a shorter one is normal progress.
constexpr double kQuietSeconds = 3;
constexpr size_t kMaxRanks = 8;

double secondsSince(uint64_t then_ns, uint64_t now_ns) {
  return now_ns > then_ns ? static_cast<double>(now_ns - then_ns) / 1e9 : 0;
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

uint64_t newestStep(std::span<const Report* const> reports) {
  uint64_t step = 0;
  for (const Report* report : reports) {
    step = std::max(step, report->steps.empty() ? 0 : report->steps.back().first_step);
  }
  return step;
}

std::vector<Verdict> verdictsOf(const EarlierFrame& before, const TopFrame& now, double patience_s) {
  std::vector<Verdict> verdicts;
  for (const auto& [attempt, look] : byAttempt(now.look)) {
    verdicts.push_back(verdictOf(before.look, look, patience_s));
  }
  return verdicts;
}

std::string headText(uint64_t now_ns, std::span<const Report* const> reports, const Color& color) {
  const size_t runs = runCount(reports);
  const std::string what = runs > 1 ? fmt::format("{} runs", runs) : fmt::format("step {}", newestStep(reports));
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

/// Returns what `commtap why` says of an attempt, and what each rank does; "" of one that makes progress.
std::string verdictText(const Verdict& verdict, bool has_runs, const Color& color) {
  if (verdict.status == HangStatus::kHealthy && (!verdict.call || verdict.quiet_s < kQuietSeconds)) {
    return "";
  }
  const bool is_unknown = verdict.status == HangStatus::kUnknown; // the line begins with "cannot tell"
  const std::string text = (has_runs ? "run " + inert(verdict.run_id) + ", " : "") +
                           (is_unknown ? "" : std::string(hangStatusName(verdict.status)) + ": ") + verdict.line;
  const bool is_down = verdict.status == HangStatus::kStuck || verdict.status == HangStatus::kFailed;
  return (is_down ? color.alarm(text) : color.warning(text)) + "\n" + rankLines(verdict, kMaxRanks) + "\n";
}

/// Returns a line for each rank that is late in a run that does not hang: a run has one sentence for one fact.
std::string lateText(const TopFrame& now, const std::vector<Verdict>& verdicts, const Color& color) {
  std::string text;
  for (const LateRank& rank : now.late) {
    const bool is_shown = std::any_of(verdicts.begin(), verdicts.end(), [&rank](const Verdict& verdict) {
      return verdict.run_id == rank.run_id && verdict.attempt == rank.attempt && !hangs(verdict);
    });
    if (is_shown) {
      const std::string run = verdicts.size() > 1 ? "run " + inert(rank.run_id) + ", " : "";
      text += color.warning(run + lateRankLine(rank)) + "\n";
    }
  }
  return text.empty() ? "" : text + "\n";
}

/// Returns the calls in which no rank waits for another: those that others have passed, and the newest ones of ranks
/// that others wait for.
CallSet callsWithoutWait(const std::vector<Verdict>& verdicts, const std::vector<const Report*>& reports) {
  CallSet calls = passedCalls(reports);
  for (const Verdict& verdict : verdicts) {
    for (const HangRank& rank : verdict.ranks) {
      for (const Report* report : reports) {
        const Job& job = report->job;
        const bool is_it = rank.pid == job.pid && rank.host == job.host && job.run_id == verdict.run_id;
        const bool is_late = hangs(verdict) && verdict.calls.empty(); // else ranks wait in calls that differ
        if (is_late && rank.role == RankRole::kCause && rank.waits_for.empty() && is_it && !report->last.empty()) {
          calls.insert(&report->last.back());
        }
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
  const std::vector<Verdict> verdicts = verdictsOf(before, now, view.patience_s);
  std::string alarms;
  for (const Verdict& verdict : verdicts) {
    alarms += verdictText(verdict, verdicts.size() > 1, color);
  }
  alarms += lateText(now, verdicts, color);
  const CallSet passed = callsWithoutWait(verdicts, reports);
  const std::string head = headText(now.look.at_ns, reports, color) + helpText(view) + wrapped(alarms, screen.columns);
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

TopReport topReport(const EarlierFrame& before, const TopFrame& now, const TopView& view) {
  const double seconds = secondsSince(before.look.at_ns, now.look.at_ns);
  const auto rates = [&](TrafficTable Traffic::*table) {
    return ratesOf(before.traffic.*table, now.traffic.*table, seconds, view.order);
  };
  const std::vector<const Report*> reports = reportsOf(now.look);
  return {
      .at_ns = now.look.at_ns,
      .seconds = seconds,
      .processes = reports.size(),
      .step = newestStep(reports),
      .verdicts = verdictsOf(before, now, view.patience_s),
      .late = now.late,
      .by_kind = rates(&Traffic::by_kind),
      .by_group = rates(&Traffic::by_group),
      .by_module = rates(&Traffic::by_module),
      .problems = now.look.problems};
}

} // namespace commtap
