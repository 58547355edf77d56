// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/screen_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "report/advice/advice.h"
#include "report/model/module_tree.h"
#include "report/model/rank_ranges.h"
#include "tools/text/job_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"
#include "tools/why/job_verdict.h"

namespace commtap {
namespace {

constexpr size_t kMostRows = 10;    ///< of each table
constexpr size_t kMostColumns = 60; ///< of a name

double shareOf(const Mean& mean, const Mean& all) {
  return all.bytes > 0 ? mean.bytes / all.bytes : 0;
}

/// Returns the cells of the numbers: calls, bytes, share of all bytes, and a bar of that length.
std::vector<std::string> numbersOf(const Mean& mean, const Mean& all) {
  constexpr double kBar = 20; // columns
  const double share = shareOf(mean, all);
  return {
      countText(mean.calls),
      humanBytes(mean.bytes),
      percentText(100 * share),
      std::string(static_cast<size_t>(std::lround(share * kBar)), '#')};
}

/// Returns a table of the first rows, the sum of the others, and the sum of all. `cellsOf` makes the first cells.
template <typename CellsOf>
std::string
tableOf(std::string columns, const std::vector<ScreenRow>& rows, const CellsOf& cellsOf, const Color& color) {
  const size_t width = textColumns(columns).size();
  columns += "|CALLS>|BYTES>|SHARE>|";
  const bool differ = std::any_of(rows.begin(), rows.end(), [](const ScreenRow& row) { return !row.by_rank.empty(); });
  Table table(columns + (differ ? "|CALLS BY RANK" : " "));
  const Mean all = sumOf(rows);
  const auto add = [&](std::vector<std::string> cells, const Mean& mean, const std::string& by_rank = "") {
    cells.resize(width);
    const std::vector<std::string> numbers = numbersOf(mean, all);
    cells.insert(cells.end(), numbers.begin(), numbers.end());
    cells.push_back(by_rank);
    table.add(std::move(cells));
  };
  Mean rest;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < kMostRows) {
      add(cellsOf(rows[i]), rows[i].mean, rows[i].by_rank);
    } else {
      rest += rows[i].mean;
    }
  }
  if (rows.size() > kMostRows) {
    add({fmt::format("({} more)", rows.size() - kMostRows)}, rest);
  }
  add({"all"}, all);
  return table.text(color);
}

/// Several rows of a job together.
struct Part {
  std::set<std::string> modules;
  Mean mean;
  CallSpread spread;
};

/// Returns the parts of a job but set-up, by what `keyOf` returns of a row, the most bytes first. `name` sets of what
/// a row is.
template <typename KeyOf, typename Name>
std::vector<ScreenRow> rowsBy(const JobReport& job, const KeyOf& keyOf, const Name& name) {
  const Means means(job);
  std::map<decltype(keyOf(JobCollective())), Part> parts;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      Part& part = parts[keyOf(row)];
      part.modules.insert(row.module);
      means.add(row, part.mean);
      part.spread.add(row, job);
    }
  }
  std::vector<ScreenRow> rows;
  for (const auto& [key, part] : parts) {
    ScreenRow& row = rows.emplace_back();
    name(key, row);
    const std::vector<std::string> modules(part.modules.begin(), part.modules.end());
    row.module = patternOf(modules);
    row.modules = modules.size();
    row.mean = part.mean;
    row.by_rank = part.spread.text(job, means.steps());
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ScreenRow& a, const ScreenRow& b) {
    return std::make_pair(a.mean.bytes, a.mean.calls) > std::make_pair(b.mean.bytes, b.mean.calls);
  });
  return rows;
}

/// Returns " (12.0 MiB per rank and step; its rows have 42.0 % of the bytes)" for the first advice.
std::string amountOf(const std::vector<Advice>& advice, const JobReport& job) {
  const double bytes = advice.empty() ? 0 : advice.front().bytes;
  return bytes > 0 ? fmt::format(
                         " ({} per rank and step{}{})",
                         humanBytes(bytes),
                         adviceShareText(advice.front(), job),
                         adviceMemoryText(advice.front()))
                   : "";
}

} // namespace

Mean sumOf(const std::vector<ScreenRow>& rows) {
  Mean all;
  for (const ScreenRow& row : rows) {
    all += row.mean;
  }
  return all;
}

std::vector<ScreenRow> rowsByKind(const JobReport& job) {
  return rowsBy(
      job,
      [](const JobCollective& row) { return std::pair(row.kind, row.group); },
      [](const auto& key, ScreenRow& row) { std::tie(row.kind, row.group) = key; });
}

std::vector<ScreenRow> rowsByModule(const JobReport& job) {
  return rowsBy(
      job,
      [](const JobCollective& row) { return std::pair(skeletonOf(row.module), row.label); },
      [](const auto& key, ScreenRow& row) { row.label = key.second; });
}

std::string kindsText(const JobReport& job, const Color& color) {
  const Means means(job);
  const std::string setup = setupText(job, means);
  const auto cells = [&job](const ScreenRow& row) {
    const JobGroup& group = job.groups[row.group];
    return std::vector<std::string>{
        std::string(kindName(row.kind)), shorten(groupLabel(group), kMostColumns), sizeText(group.size)};
  };
  return color.bold(unitText(means)) + "\n" + tableOf("KIND|GROUP|SIZE>", rowsByKind(job), cells, color) +
         (setup.empty() ? "" : setup + "\n");
}

std::string lateText(const JobReport& job, const Color& color) {
  std::string text;
  for (const std::string& line : lateLines(job)) {
    text += color.warning(line) + "\n";
  }
  return text;
}

std::string numbersText(const JobReport& job, const Color& color) {
  const auto cells = [](const ScreenRow& row) {
    return std::vector<std::string>{
        shorten(labelledModule(row.module, row.label, false), kMostColumns), std::to_string(row.modules)};
  };
  return headerText(job, Scope::kRanks, color) + lateText(job, color) + "\n" + kindsText(job, color) + "\n" +
         tableOf("MODULE (WITHOUT CHILDREN)|MODULES>", rowsByModule(job), cells, color);
}

std::string screenText(const JobReport& job, const std::string& path, const Color& color) {
  std::string text = numbersText(job, color) + "\n";
  text += std::filesystem::is_directory(path) ? endedLine(job, path) : "";
  const std::vector<Advice> advice = adviceFor(job);
  text += adviceLine(advice, amountOf(advice, job), placeOf(job, path));
  return text + color.dim("more: commtap show --tree " + placeOf(job, path)) + "\n";
}

} // namespace commtap
