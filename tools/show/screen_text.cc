// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/screen_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
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

/// A row of a table: what several rows of the job have in common.
struct Line {
  std::vector<std::string> cells; ///< before the numbers
  Mean mean;
};

/// Returns the cells of the numbers: calls, bytes, share of all bytes, and a bar of that length.
std::vector<std::string> numbersOf(const Mean& mean, const Mean& all) {
  constexpr double kBar = 20; // columns
  const double share = all.bytes > 0 ? mean.bytes / all.bytes : 0;
  return {
      callsNumber(mean.calls),
      humanBytes(mean.bytes),
      fmt::format("{:.1f} %", 100 * share),
      std::string(static_cast<size_t>(std::lround(share * kBar)), '#')};
}

/// Returns a table of the lines, the most bytes first: the first ones, the sum of the others, and the sum of all.
std::string tableOf(std::vector<TextColumn> columns, std::vector<Line> lines, const Color& color) {
  Mean all;
  for (const Line& line : lines) {
    all += line.mean;
  }
  const size_t width = columns.size();
  columns.insert(columns.end(), {{"CALLS", Align::kRight}, {"BYTES", Align::kRight}, {"SHARE", Align::kRight}, {""}});
  Table table(std::move(columns));
  const auto add = [&](std::vector<std::string> cells, const Mean& mean) {
    cells.resize(width);
    const std::vector<std::string> numbers = numbersOf(mean, all);
    cells.insert(cells.end(), numbers.begin(), numbers.end());
    table.add(std::move(cells));
  };
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::make_pair(a.mean.bytes, a.mean.calls) > std::make_pair(b.mean.bytes, b.mean.calls);
  });
  Mean rest;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < kMostRows) {
      add(lines[i].cells, lines[i].mean);
    } else {
      rest += lines[i].mean;
    }
  }
  if (lines.size() > kMostRows) {
    add({fmt::format("({} more)", lines.size() - kMostRows)}, rest);
  }
  add({"all"}, all);
  return table.text(color);
}

std::vector<Line> linesByKind(const JobReport& job, const Means& means) {
  std::map<std::pair<Kind, size_t>, Mean> sums;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      means.add(row, sums[{row.kind, row.group}]);
    }
  }
  std::vector<Line> lines;
  for (const auto& [key, mean] : sums) {
    const JobGroup& group = job.groups[key.second];
    lines.push_back(
        {{std::string(kindName(key.first)), shorten(groupLabel(group), kMostColumns), sizeText(group.size)}, mean});
  }
  return lines;
}

std::vector<Line> linesByModule(const JobReport& job, const Means& means) {
  struct Alike {
    std::set<std::string> modules;
    Mean mean;
  };
  std::map<std::pair<std::string, std::string>, Alike> alike; // by skeleton and label
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      Alike& found = alike[{skeletonOf(row.module), row.label}];
      found.modules.insert(row.module);
      means.add(row, found.mean);
    }
  }
  std::vector<Line> lines;
  for (const auto& [key, found] : alike) {
    const std::vector<std::string> modules(found.modules.begin(), found.modules.end());
    const std::string name = labelledModule(patternOf(modules), key.second, false);
    lines.push_back({{shorten(name, kMostColumns), std::to_string(modules.size())}, found.mean});
  }
  return lines;
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

std::string kindsText(const JobReport& job, const Means& means, const Color& color) {
  const std::string setup = setupText(job, means);
  return color.bold(unitText(means)) + "\n" +
         tableOf({{"KIND"}, {"GROUP"}, {"SIZE", Align::kRight}}, linesByKind(job, means), color) +
         (setup.empty() ? "" : setup + "\n");
}

} // namespace

std::string kindsText(const JobReport& job, const Color& color) {
  return kindsText(job, Means(job), color);
}

std::string screenText(const JobReport& job, const std::string& path, const Color& color) {
  const Means means(job);
  std::string text = headerText(job, Scope::kRanks, color) + "\n" + kindsText(job, means, color) + "\n";
  text += tableOf({{"MODULE (WITHOUT CHILDREN)"}, {"MODULES", Align::kRight}}, linesByModule(job, means), color) + "\n";
  text += std::filesystem::is_directory(path) ? endedLine(job, path) : "";
  const std::vector<Advice> advice = adviceFor(job);
  text += adviceLine(advice, amountOf(advice, job), path);
  return text + color.dim("more: commtap show --tree " + pathWord(path)) + "\n";
}

} // namespace commtap
