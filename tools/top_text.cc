// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "report/timestamp.h"
#include "report/totals.h"
#include "tools/lag.h"
#include "tools/last_text.h"
#include "tools/table.h"
#include "tools/text.h"

namespace commtap {
namespace {

/// A lag is told in full only if nobody in the group has issued anything for so long: before, it is work under way.
constexpr double kQuietSeconds = 3;
constexpr size_t kMaxMembers = 8;

struct Sums {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

using SumsByName = std::map<std::string, Sums>;

/// Everything that the processes have counted, by what `nameOf` says of a row.
template <typename NameOf>
SumsByName sumsBy(const LiveReports& live, const NameOf& nameOf) {
  SumsByName sums;
  for (const auto& report : live.reports) {
    for (const Collective& row : report->collectives) {
      Sums& sum = sums[nameOf(*report, row)];
      sum.count += row.count;
      sum.bytes += row.bytes;
    }
  }
  return sums;
}

struct Rate {
  std::string name;
  double per_second = 0;
  double bytes_per_second = 0;
  Sums total;
};

/// A process that has gone takes its counts with it: what is less than before is no rate.
double perSecond(uint64_t before, uint64_t now, double seconds) {
  return now > before && seconds > 0 ? static_cast<double>(now - before) / seconds : 0;
}

std::vector<Rate> ratesOf(const SumsByName& before, const SumsByName& now, double seconds) {
  std::vector<Rate> rates;
  for (const auto& [name, sum] : now) {
    const auto found = before.find(name);
    const Sums old = found == before.end() ? Sums() : found->second;
    rates.push_back({name, perSecond(old.count, sum.count, seconds), perSecond(old.bytes, sum.bytes, seconds), sum});
  }
  std::stable_sort(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) {
    return std::tie(a.bytes_per_second, a.total.bytes) > std::tie(b.bytes_per_second, b.total.bytes);
  });
  return rates;
}

std::string ratesText(const char* title, const std::vector<Rate>& rates, size_t rows, const Color& color) {
  Table table(
      {{title},
       {"PER SECOND", Align::kRight},
       {"PAYLOAD/S", Align::kRight},
       {"COUNT", Align::kRight},
       {"PAYLOAD", Align::kRight}});
  for (size_t i = 0; i < std::min(rows, rates.size()); ++i) {
    const Rate& rate = rates[i];
    table.add(
        {inert(rate.name),
         fmt::format("{:.1f}", rate.per_second),
         humanBytes(rate.bytes_per_second),
         std::to_string(rate.total.count),
         humanBytes(static_cast<double>(rate.total.bytes))});
  }
  return table.empty() ? "" : table.text(color) + "\n";
}

double secondsSince(uint64_t then_ns, uint64_t now_ns) {
  return now_ns > then_ns ? static_cast<double>(now_ns - then_ns) / 1e9 : 0;
}

std::string positionText(const GroupPosition& member, uint64_t now_ns) {
  std::string text = fmt::format("{} has issued {}", rankName(member.rank), member.collectives);
  if (!member.last) {
    return text + "; its last one is too long ago";
  }
  const LastCollective& last = *member.last;
  return text + fmt::format(
                    "; the last, {:.1f} s ago: {}, {}",
                    secondsSince(last.issued_at_ns, now_ns),
                    collectiveText(last),
                    lastStateName(last.state));
}

bool isQuiet(const Lag& lag, uint64_t now_ns) {
  return std::none_of(lag.members.begin(), lag.members.end(), [&](const GroupPosition& member) {
    return member.last && secondsSince(member.last->issued_at_ns, now_ns) < kQuietSeconds;
  });
}

std::string lagText(const Lag& lag, uint64_t now_ns, const Color& color) {
  std::string text = color.warning(fmt::format(
                         "group {}: {} is {} behind, and nobody went on for {:.0f} s",
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
  for (const Lag& lag : lagsOf(reports)) {
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

} // namespace

std::string topText(const TopFrame& before, const TopFrame& now, size_t rows, const Color& color) {
  const double seconds = secondsSince(before.at_ns, now.at_ns);
  const auto rates = [&](const char* title, const auto& nameOf) {
    return ratesText(title, ratesOf(sumsBy(before.live, nameOf), sumsBy(now.live, nameOf), seconds), rows, color);
  };
  const std::vector<const Report*> reports = pointersOf(now.live);
  std::string text = headText(now, color) + mismatchText(reports, color) + lagsText(now, reports, color);
  text += rates("KIND", [](const Report&, const Collective& row) { return std::string(kindName(row.kind)); });
  text += rates("GROUP", [](const Report& report, const Collective& row) { return groupTitle(report, row.group); });
  text += rates("MODULE", [](const Report&, const Collective& row) { return row.module; });
  return text + lastText(std::span(reports).first(std::min(rows, reports.size())), 1, color);
}

} // namespace commtap
