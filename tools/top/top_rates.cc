// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/top_rates.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Columns of a name next to durations, so that a line fits into 80 columns.
constexpr size_t kNameBesideTimes = 20;
constexpr size_t kMinName = 8;
/// A narrower table has no totals and no durations.
constexpr size_t kNarrow = 60;

/// Returns 0 if the count fell: an exited process takes its counts with it.
template <typename T>
double growth(T before, T now) {
  return now > before ? static_cast<double>(now - before) : 0;
}

double ratio(double amount, double of) {
  return of > 0 ? amount / of : 0;
}

Rate rateOf(const TrafficName& name, const TrafficSums& before, const TrafficSums& now, double seconds) {
  const double exposed = growth(before.exposed_ns, now.exposed_ns) / 1e9;
  const double running = growth(before.running_ns, now.running_ns) / 1e9;
  Rate rate{
      .run = name.first,
      .name = name.second,
      .per_second = ratio(growth(before.count, now.count), seconds),
      .bytes_per_second = ratio(growth(before.bytes, now.bytes), seconds),
      .count = now.count,
      .bytes = now.bytes};
  if (now.timed > 0) {
    rate.exposed_share = std::min(1.0, ratio(exposed, seconds * static_cast<double>(now.timed)));
  }
  if (const double bandwidth = ratio(growth(before.running_bus_bytes, now.running_bus_bytes), running); bandwidth > 0) {
    rate.bus_bandwidth = bandwidth;
  }
  return rate;
}

} // namespace

std::vector<Rate> ratesOf(const TrafficTable& before, const TrafficTable& now, double seconds, RateOrder order) {
  std::vector<Rate> rates;
  for (const auto& [name, sum] : now) {
    const auto found = before.find(name);
    rates.push_back(rateOf(name, found == before.end() ? TrafficSums() : found->second, sum, seconds));
  }
  const auto key = [order](const Rate& rate) {
    const double first = order == RateOrder::kCalls     ? rate.per_second
                         : order == RateOrder::kExposed ? rate.exposed_share.value_or(0)
                                                        : rate.bytes_per_second;
    return std::tuple(first, rate.bytes_per_second, rate.bytes);
  };
  std::stable_sort(rates.begin(), rates.end(), [&key](const Rate& a, const Rate& b) { return key(a) > key(b); });
  return rates;
}

namespace {

/// The columns of all tables, besides the name and the rates.
struct RateColumns {
  bool runs = false;
  bool totals = true;
  bool running = false;
  bool exposed = false;
};

RateColumns columnsFor(const Traffic& traffic, size_t width) {
  RateColumns columns;
  for (const auto& [name, sums] : traffic.by_kind) {
    columns.runs = columns.runs || name.first != traffic.by_kind.begin()->first.first;
    columns.running = columns.running || sums.running_ns > 0;
    columns.exposed = columns.exposed || sums.timed > 0;
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
  if (columns.exposed) {
    all.push_back({"EXPOSED", Align::kRight});
  }
  if (columns.running) {
    all.push_back({"BUSBW", Align::kRight});
  }
  return all;
}

std::vector<std::string> rateCells(const Rate& rate, const RateColumns& columns, size_t name_width) {
  std::vector<std::string> cells;
  if (columns.runs) {
    cells.push_back(shorten(inert(rate.run), name_width));
  }
  cells.push_back(shorten(inert(rate.name), name_width));
  cells.push_back(fmt::format("{:.1f}", rate.per_second));
  cells.push_back(humanBytes(rate.bytes_per_second));
  if (columns.totals) {
    cells.push_back(std::to_string(rate.count));
    cells.push_back(humanBytes(rate.bytes));
  }
  if (columns.exposed) {
    cells.push_back(rate.exposed_share ? percentText(100 * *rate.exposed_share) : "");
  }
  if (columns.running) {
    cells.push_back(rate.bus_bandwidth ? humanBytes(*rate.bus_bandwidth) + "/s" : "");
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
    longest = std::max({longest, displayWidth(inert(rate.name)), columns.runs ? displayWidth(inert(rate.run)) : 0});
  }
  size_t name_width = columns.exposed || columns.running ? std::min(longest, kNameBesideTimes) : longest;
  while (name_width > kMinName && widthOf(tableOf(title, rates, columns, name_width).text(Color::none())) > width) {
    --name_width;
  }
  return tableOf(title, rates, columns, name_width).text(color) + "\n";
}

} // namespace

std::string
rateTables(const Traffic& before, const Traffic& now, double seconds, const TableSpace& space, const Color& color) {
  const RateColumns columns = columnsFor(now, space.columns);
  const auto tableOf = [&](const char* title, TrafficTable Traffic::*table) {
    const std::vector<Rate> rates = ratesOf(before.*table, now.*table, seconds, space.order);
    const std::span<const Rate> shown(rates.data(), std::min(space.rows, rates.size()));
    return shown.empty() ? "" : fittedTable(title, shown, columns, space.columns, color);
  };
  return tableOf("KIND", &Traffic::by_kind) + tableOf("GROUP", &Traffic::by_group) +
         tableOf("MODULE", &Traffic::by_module);
}

} // namespace commtap
