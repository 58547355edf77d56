// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/top_rates.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/model/amounts.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Columns of a name next to durations, so that a line fits into 80 columns.
constexpr size_t kNameBesideTimes = 20;

struct Sums {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t running_ns = 0;
  double running_bus_bytes = 0;
  uint64_t blocked_ns = 0;
  std::set<const Report*> timed; ///< processes that blocked_ns covers
};

using SumsByName = std::map<std::string, Sums>;

/// Returns whether the blocked share is known: a sample's share would cover only the sampled calls.
bool tellsBlockedShare(const Report& report, const CollectiveTime& time) {
  return report.job.timing == Timing{1} && time.isKnown();
}

void addTime(const Report& report, const CollectiveTime& time, Sums& sum) {
  sum.running_ns += time.of(DurationKind::kRunning).sum_ns;
  sum.running_bus_bytes += time.bus_bytes;
  if (tellsBlockedShare(report, time)) {
    sum.blocked_ns += time.of(DurationKind::kBlocked).sum_ns;
    sum.timed.insert(&report);
  }
}

/// Sums what the processes have counted, by the name that `nameOf` returns for a row.
template <typename NameOf>
SumsByName sumsBy(const LiveReports& live, const NameOf& nameOf) {
  SumsByName sums;
  for (const auto& report : live.reports) {
    for (const Collective& row : report->collectives) {
      Sums& sum = sums[nameOf(*report, row)];
      sum.count += row.count;
      sum.bytes += row.bytes;
      addTime(*report, row.time, sum);
    }
  }
  return sums;
}

struct Rate {
  std::string name;
  double per_second = 0;
  double bytes_per_second = 0;
  double blocked_share = 0; ///< share of the time of the ranks that have the row
  double bus_bandwidth = 0; ///< bytes per second; 0 if no timed collective has completed
  Sums total;
};

/// Returns 0 if the count fell: an exited process takes its counts with it.
template <typename T>
double growth(T before, T now) {
  return now > before ? static_cast<double>(now - before) : 0;
}

double ratio(double amount, double of) {
  return of > 0 ? amount / of : 0;
}

Rate rateOf(const std::string& name, const Sums& before, const Sums& now, double seconds) {
  const double blocked = growth(before.blocked_ns, now.blocked_ns) / 1e9;
  const double running = growth(before.running_ns, now.running_ns) / 1e9;
  return {
      name,
      ratio(growth(before.count, now.count), seconds),
      ratio(growth(before.bytes, now.bytes), seconds),
      std::min(1.0, ratio(blocked, seconds * static_cast<double>(now.timed.size()))),
      ratio(growth(before.running_bus_bytes, now.running_bus_bytes), running),
      now};
}

std::vector<Rate> ratesOf(const SumsByName& before, const SumsByName& now, double seconds) {
  std::vector<Rate> rates;
  for (const auto& [name, sum] : now) {
    const auto found = before.find(name);
    rates.push_back(rateOf(name, found == before.end() ? Sums() : found->second, sum, seconds));
  }
  std::stable_sort(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) {
    return std::tie(a.bytes_per_second, a.total.bytes) > std::tie(b.bytes_per_second, b.total.bytes);
  });
  return rates;
}

/// The durations that any of the tables has.
struct KnownTimes {
  bool running = false;
  bool blocked = false;
};

KnownTimes timesOf(const LiveReports& live) {
  KnownTimes times;
  for (const auto& report : live.reports) {
    for (const Collective& row : report->collectives) {
      times.running = times.running || row.time.of(DurationKind::kRunning).count > 0;
      times.blocked = times.blocked || tellsBlockedShare(*report, row.time);
    }
  }
  return times;
}

std::vector<TextColumn> columns(const char* title, const KnownTimes& times) {
  std::vector<TextColumn> all = {
      {title},
      {"CALLS/S", Align::kRight},
      {"PAYLOAD/S", Align::kRight},
      {"COUNT", Align::kRight},
      {"PAYLOAD", Align::kRight}};
  if (times.blocked) {
    all.push_back({"BLOCKED", Align::kRight});
  }
  if (times.running) {
    all.push_back({"BUSBW", Align::kRight});
  }
  return all;
}

std::vector<std::string> rateCells(const Rate& rate, const KnownTimes& times) {
  const std::string name = inert(rate.name);
  std::vector<std::string> cells = {
      times.blocked || times.running ? shorten(name, kNameBesideTimes) : name,
      fmt::format("{:.1f}", rate.per_second),
      humanBytes(rate.bytes_per_second),
      std::to_string(rate.total.count),
      humanBytes(static_cast<double>(rate.total.bytes))};
  if (times.blocked) {
    cells.push_back(rate.total.timed.empty() ? "" : fmt::format("{:.1f} %", 100 * rate.blocked_share));
  }
  if (times.running) {
    cells.push_back(rate.bus_bandwidth == 0 ? "" : humanBytes(rate.bus_bandwidth) + "/s");
  }
  return cells;
}

} // namespace

std::string
rateTables(const LiveReports& before, const LiveReports& now, double seconds, size_t rows, const Color& color) {
  const KnownTimes times = timesOf(now);
  const auto tableBy = [&](const char* title, const auto& nameOf) {
    const std::vector<Rate> rates = ratesOf(sumsBy(before, nameOf), sumsBy(now, nameOf), seconds);
    Table table(columns(title, times));
    for (size_t i = 0; i < std::min(rows, rates.size()); ++i) {
      table.add(rateCells(rates[i], times));
    }
    return table.empty() ? "" : table.text(color) + "\n";
  };
  return tableBy("KIND", [](const Report&, const Collective& row) { return std::string(kindName(row.kind)); }) +
         tableBy("GROUP", [](const Report& report, const Collective& row) { return groupTitle(report, row.group); }) +
         tableBy("MODULE", [](const Report&, const Collective& row) { return row.module; });
}

} // namespace commtap
