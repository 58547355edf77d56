// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/top_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/model/amounts.h"
#include "tools/live/group_lag.h"
#include "tools/live/top_rates.h"
#include "tools/show/last_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Seconds without a new collective in a group before its lag is shown in full: a shorter lag is normal progress.
constexpr double kQuietSeconds = 3;
constexpr size_t kMaxMembers = 8;

double secondsSince(uint64_t then_ns, uint64_t now_ns) {
  return now_ns > then_ns ? static_cast<double>(now_ns - then_ns) / 1e9 : 0;
}

std::string positionText(const GroupPosition& member, uint64_t now_ns) {
  std::string text = fmt::format("{} has issued {}", rankName(member.rank), member.collectives);
  if (!member.last) {
    return text + "; its last one is no longer recorded";
  }
  const LastCollective& last = *member.last;
  return text + fmt::format(
                    "; the last, {:.1f} s ago: {}, {}",
                    secondsSince(last.issued_at_ns, now_ns),
                    collectiveText(last),
                    lastStateName(last.state));
}

bool isQuiet(const GroupLag& lag, uint64_t now_ns) {
  return std::none_of(lag.members.begin(), lag.members.end(), [&](const GroupPosition& member) {
    return member.last && secondsSince(member.last->issued_at_ns, now_ns) < kQuietSeconds;
  });
}

std::string lagText(const GroupLag& lag, uint64_t now_ns, const Color& color) {
  std::string text = color.warning(fmt::format(
                         "group {}: {} is {} behind, and no rank made progress for {:.0f} s",
                         inert(groupTitle(lag.group)),
                         rankName(lag.members.front().rank),
                         lag.size() == 1 ? "1 collective" : std::to_string(lag.size()) + " collectives",
                         kQuietSeconds)) +
                     "\n";
  if (lag.missing) {
    text += fmt::format("  it has not issued number {}: {}\n", lag.missing->sequence, collectiveText(*lag.missing));
  }
  for (size_t i = 0; i < std::min(kMaxMembers, lag.members.size()); ++i) {
    text += "  " + positionText(lag.members[i], now_ns) + "\n";
  }
  if (lag.members.size() > kMaxMembers) {
    text += fmt::format("  and {} more ranks\n", lag.members.size() - kMaxMembers);
  }
  return text;
}

std::vector<const Report*> pointersOf(const LiveReports& live) {
  std::vector<const Report*> reports;
  for (const auto& report : live.reports) {
    reports.push_back(report.get());
  }
  return reports;
}

std::string lagsText(const TopFrame& now, std::span<const Report* const> reports, const Color& color) {
  std::string text;
  for (const GroupLag& lag : lagsOf(reports)) {
    if (isQuiet(lag, now.at_ns)) {
      text += lagText(lag, now.at_ns, color);
    }
  }
  return text.empty() ? "" : text + "\n";
}

std::string headText(const TopFrame& now, const Color& color) {
  uint64_t step = 0;
  for (const auto& report : now.live.reports) {
    step = std::max(step, report->steps.empty() ? 0 : report->steps.back().first_step);
  }
  return color.bold(
             fmt::format("{}  {} processes, step {}", formatTimestamp(now.at_ns), now.live.reports.size(), step)) +
         "\n\n";
}

/// Returns the newest collective of each of the first `most` processes.
std::vector<LastRow> newestRows(const std::vector<const Report*>& reports, size_t most) {
  std::vector<LastRow> newest;
  for (size_t i = 0; i < std::min(most, reports.size()); ++i) {
    const std::vector<LastRow> rows = lastRows(*reports[i], 1);
    newest.insert(newest.end(), rows.begin(), rows.end());
  }
  return newest;
}

} // namespace

std::string topText(const TopFrame& before, const TopFrame& now, size_t rows, const Color& color) {
  const double seconds = secondsSince(before.at_ns, now.at_ns);
  const std::vector<const Report*> reports = pointersOf(now.live);
  return headText(now, color) + mismatchText(mismatchesOf(reports), color) + lagsText(now, reports, color) +
         rateTables(before.live, now.live, seconds, rows, color) + lastText(newestRows(reports, rows), color);
}

} // namespace commtap
