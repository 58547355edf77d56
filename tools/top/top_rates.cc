// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/top_rates.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/model/amounts.h"
#include "report/model/saturating.h"
#include "tools/text/table.h"
#include "tools/text/text.h"
#include "tools/top/group_lag.h"

namespace commtap {
namespace {

/// Columns of a name next to durations, so that a line fits into 80 columns.
constexpr size_t kNameBesideTimes = 20;
constexpr size_t kMinName = 8;
/// A narrower table has no totals and no durations.
constexpr size_t kNarrow = 60;

struct Sums {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t running_ns = 0;
  double running_bus_bytes = 0;
  uint64_t blocked_ns = 0;
  std::set<const Report*> timed; ///< processes that blocked_ns covers
};

/// A row's run and name: rows of different runs are never added up.
using RowName = std::pair<std::string, std::string>;
using SumsByName = std::map<RowName, Sums>;

/// Returns whether the blocked share is known: a sample's share would cover only the sampled calls.
bool tellsBlockedShare(const Report& report, const CollectiveTime& time) {
  return report.job.timing == Timing{1} && time.isKnown();
}

void addTime(const Report& report, const CollectiveTime& time, Sums& sum) {
  addSaturating(sum.running_ns, time.of(DurationKind::kRunning).sum_ns);
  sum.running_bus_bytes += time.bus_bytes;
  if (tellsBlockedShare(report, time)) {
    addSaturating(sum.blocked_ns, time.of(DurationKind::kBlocked).sum_ns);
    sum.timed.insert(&report);
  }
}

/// Sums what the processes have counted, by the name that `nameOf` returns for a row.
template <typename NameOf>
SumsByName sumsBy(const LiveReports& live, const NameOf& nameOf) {
  SumsByName sums;
  for (const auto& report : live.reports) {
    for (const Collective& row : report->collectives) {
      Sums& sum = sums[{runName(report->job), nameOf(*report, row)}];
      addSaturating(sum.count, row.count);
      addSaturating(sum.bytes, row.bytes);
      addTime(*report, row.time, sum);
    }
  }
  return sums;
}

struct Rate {
  RowName name;
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

Rate rateOf(const RowName& name, const Sums& before, const Sums& now, double seconds) {
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

/// The columns of all tables, besides the name and the rates.
struct RateColumns {
  bool runs = false;
  bool totals = true;
  bool running = false;
  bool blocked = false;
};

RateColumns columnsFor(const LiveReports& live, size_t width) {
  RateColumns columns;
  for (const auto& report : live.reports) {
    columns.runs = columns.runs || runName(report->job) != runName(live.reports.front()->job);
    for (const Collective& row : report->collectives) {
      columns.running = columns.running || row.time.of(DurationKind::kRunning).count > 0;
      columns.blocked = columns.blocked || tellsBlockedShare(*report, row.time);
    }
  }
  if (width < kNarrow) {
    return {.runs = columns.runs, .totals = false};
  }
  return columns;
}

std::vector<TextColumn> titles(const char* title, const RateColumns& columns) {
  std::vector<TextColumn> all;
  if (columns.runs) {
    all.push_back({"RUN"});
  }
  all.insert(all.end(), {{title}, {"CALLS/S", Align::kRight}, {"PAYLOAD/S", Align::kRight}});
  if (columns.totals) {
    all.insert(all.end(), {{"COUNT", Align::kRight}, {"PAYLOAD", Align::kRight}});
  }
  if (columns.blocked) {
    all.push_back({"BLOCKED", Align::kRight});
  }
  if (columns.running) {
    all.push_back({"BUSBW", Align::kRight});
  }
  return all;
}

std::vector<std::string> rateCells(const Rate& rate, const RateColumns& columns, size_t name_width) {
  std::vector<std::string> cells;
  if (columns.runs) {
    cells.push_back(shorten(inert(rate.name.first), name_width));
  }
  cells.push_back(shorten(inert(rate.name.second), name_width));
  cells.push_back(fmt::format("{:.1f}", rate.per_second));
  cells.push_back(humanBytes(rate.bytes_per_second));
  if (columns.totals) {
    cells.push_back(std::to_string(rate.total.count));
    cells.push_back(humanBytes(static_cast<double>(rate.total.bytes)));
  }
  if (columns.blocked) {
    cells.push_back(rate.total.timed.empty() ? "" : fmt::format("{:.1f} %", 100 * rate.blocked_share));
  }
  if (columns.running) {
    cells.push_back(rate.bus_bandwidth == 0 ? "" : humanBytes(rate.bus_bandwidth) + "/s");
  }
  return cells;
}

/// Returns the width of the widest line.
size_t widthOf(const std::string& text) {
  size_t width = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    width = std::max(width, displayWidth(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return width;
}

/// Formats the rates with names of at most `name_width` columns.
Table tableOf(const char* title, std::span<const Rate> rates, const RateColumns& columns, size_t name_width) {
  Table table(titles(title, columns));
  for (const Rate& rate : rates) {
    table.add(rateCells(rate, columns, name_width));
  }
  return table;
}

/// Returns the table with the longest names that fit into `width` columns.
std::string fittedTable(
    const char* title,
    std::span<const Rate> rates,
    const RateColumns& columns,
    size_t width,
    const Color& color) {
  size_t longest = 0;
  for (const Rate& rate : rates) {
    longest = std::max(
        {longest, displayWidth(inert(rate.name.second)), columns.runs ? displayWidth(inert(rate.name.first)) : 0});
  }
  size_t name_width = columns.blocked || columns.running ? std::min(longest, kNameBesideTimes) : longest;
  while (name_width > kMinName && widthOf(tableOf(title, rates, columns, name_width).text(Color::none())) > width) {
    --name_width;
  }
  return tableOf(title, rates, columns, name_width).text(color) + "\n";
}

} // namespace

std::string rateTables(
    const LiveReports& before,
    const LiveReports& now,
    double seconds,
    const TableSpace& space,
    const Color& color) {
  const RateColumns columns = columnsFor(now, space.columns);
  const auto tableBy = [&](const char* title, const auto& nameOf) {
    const std::vector<Rate> rates = ratesOf(sumsBy(before, nameOf), sumsBy(now, nameOf), seconds);
    const std::span<const Rate> shown(rates.data(), std::min(space.rows, rates.size()));
    return shown.empty() ? "" : fittedTable(title, shown, columns, space.columns, color);
  };
  return tableBy("KIND", [](const Report&, const Collective& row) { return std::string(kindName(row.kind)); }) +
         tableBy("GROUP", [](const Report& report, const Collective& row) { return groupTitle(report, row.group); }) +
         tableBy("MODULE", [](const Report&, const Collective& row) { return row.module; });
}

} // namespace commtap
