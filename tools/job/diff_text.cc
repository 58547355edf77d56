// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/diff_text.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/compare/merged_rows.h"
#include "tools/job/change_text.h"
#include "tools/job/merge_text.h"
#include "tools/text/disagreement_text.h"
#include "tools/text/markup.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxChanges = 40;

std::string jobLine(std::string_view name, const JobReport& job) {
  return fmt::format(
      "{:<7} {}: {} {}, started {}Z, {} of {} ranks\n",
      name,
      inert(job.source),
      job.planned ? "plan" : "run",
      inert(job.run_id.empty() ? "without an id" : job.run_id),
      formatSecond(job.started_at_ns),
      countOf(job.ranks),
      job.world_size ? std::to_string(*job.world_size) : "?");
}

std::vector<std::string> changeCells(const std::string& name, const Change& change) {
  return {
      name,
      fmt::format("{:.6g}", change.before.count),
      fmt::format("{:.6g}", change.after.count),
      humanBytes(change.before.bytes),
      humanBytes(change.after.bytes),
      percentText(change.before.bytes, change.after.bytes),
  };
}

/// Returns the columns of changeCells().
std::vector<TextColumn> changeColumns(const char* title) {
  return {
      {title},
      {"CALLS BEFORE", Align::kRight},
      {"AFTER", Align::kRight},
      {"BYTES BEFORE", Align::kRight},
      {"AFTER", Align::kRight},
      {"CHANGE", Align::kRight}};
}

std::string moduleName(const ChangeBundle& change) {
  const std::string name = labelledModule(change.name, change.first.label, change.first.setup);
  return change.modules.size() == 1 ? name : fmt::format("{} ({} modules, each)", name, change.modules.size());
}

/// Returns whether to show which ranks have the modules' totals: some have others than before.
bool showsRanks(const JobDiff& diff) {
  return std::any_of(
      diff.modules.begin(), diff.modules.end(), [](const ChangeBundle& each) { return each.change.hasOtherRanks(); });
}

/// Returns the cells of a module's totals. With `ranks`, those of both runs, or of one if they are the same.
std::vector<std::string> moduleCells(const ChangeBundle& module, bool ranks) {
  std::vector<std::string> cells = changeCells(moduleName(module), module.change);
  if (ranks) {
    const std::string before = rankText(module.change.before.on);
    const std::string after = rankText(module.change.after.on);
    cells.push_back(module.change.hasOtherRanks() ? before + " to " + after : before.empty() ? after : before);
  }
  return cells;
}

/// Returns a table of the modules whose totals differ; "" if only which rows make them up does.
std::string moduleTable(const JobDiff& diff, const Color& color) {
  if (diff.modules.empty()) {
    return {};
  }
  std::vector<TextColumn> columns = changeColumns("MODULE");
  const bool ranks = showsRanks(diff);
  if (ranks) {
    columns.push_back({"RANKS"});
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < std::min(diff.modules.size(), kMaxChanges); ++i) {
    table.add(moduleCells(diff.modules[i], ranks));
  }
  return color.bold("By module, per rank and run (without its children; the largest growth first)") + "\n" +
         table.text(color);
}

/// Returns a table of the groups whose numbers differ; "" if none do.
std::string groupTable(const JobDiff& diff, const Color& color) {
  const std::map<std::string, PerRank> before = perRankByGroup(*diff.before);
  std::map<std::string, Change> groups;
  for (const auto& [name, number] : before) {
    groups[name].before = number;
  }
  for (const auto& [name, number] : perRankByGroup(*diff.after)) {
    groups[name].after = number;
  }
  Table table(changeColumns("GROUP"));
  for (const auto& [name, change] : groups) {
    if (change.countDelta() != 0 || change.bytesDelta() != 0) {
      table.add(changeCells(name, change));
    }
  }
  return table.empty() ? ""
                       : "\n" + color.bold("By group, per rank and run (over all ranks)") + "\n" + table.text(color);
}

std::string bucketedText(const JobDiff& diff) {
  return diff.bucketed == 1 ? "1 bucketed row" : fmt::format("{} bucketed rows", diff.bucketed);
}

std::string notesText(const JobDiff& diff, const Color& color) {
  std::string text;
  for (const std::string& note : diff.notes) {
    text += color.warning("note: ") + inert(note) + "\n";
  }
  return text;
}

} // namespace

JobDiff diffOf(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules) {
  const auto [cells_before, cells_after] = comparableCells(before, after);
  const std::optional<RankRanges> compared = comparedRanks(before, after);
  const std::vector<CellChange> changes = changesBetween(cells_before, cells_after, compared, rules);
  std::set<std::string> modules;
  for (const CellChange& change : changes) {
    modules.insert(change.key.module);
  }
  return {
      &before,
      &after,
      mergedDifference(before, after).rows,
      comparisonNotes(before, after),
      bundle(changes, stepsOfBoth(before, after)),
      bundle(
          changesBetween(totalsByModule(cells_before, modules), totalsByModule(cells_after, modules), compared, {}))};
}

std::string diffText(const JobDiff& diff, const Color& color) {
  std::string text = jobLine("before", *diff.before) + jobLine("after", *diff.after) + notesText(diff, color);
  text += disagreementLines(*diff.after, color);
  if (diff.changes.empty()) {
    return text + (diff.bucketed == 0 ? "no differences\n" : "the same, except for " + bucketedText(diff) + "\n");
  }
  const std::string tables = moduleTable(diff, color) + groupTable(diff, color);
  text += "\n" + tables + (tables.empty() ? "" : "\n") + color.bold("Differences") + "\n";
  for (size_t i = 0; i < std::min(diff.changes.size(), kMaxChanges); ++i) {
    text += "  " + changeText(diff.changes[i]) + "\n";
  }
  if (diff.changes.size() > kMaxChanges) {
    text += color.dim(fmt::format("  and {} more: --format json", diff.changes.size() - kMaxChanges)) + "\n";
  }
  return text;
}

std::string diffMarkdown(const JobDiff& diff) {
  std::string text = fmt::format("### commtap: {} differences\n\n", diff.changes.size());
  if (diff.changes.empty()) {
    text = "### commtap: communication is unchanged" +
           (diff.bucketed == 0 ? "" : ", except for " + bucketedText(diff)) + "\n\n";
  }
  for (const auto& [name, job] : {std::pair("before", diff.before), std::pair("after", diff.after)}) {
    text += "- " + markdownText(jobLine(name, *job).substr(0, jobLine(name, *job).size() - 1)) + "\n";
  }
  for (const std::string& note : diff.notes) {
    text += "- **note:** " + markdownText(note) + "\n";
  }
  const std::vector<DisagreementBundle> serious = bundled(seriousDisagreements(*diff.after));
  for (size_t i = 0; i < std::min(serious.size(), kMaxChanges); ++i) {
    text += "- **ranks disagree:** " + markdownText(disagreementText(serious[i], *diff.after)) + "\n";
  }
  if (diff.changes.empty()) {
    return text;
  }
  const bool ranks = showsRanks(diff);
  text += "\n| module | calls before | after | bytes before | after | change |";
  text += ranks ? " ranks |\n|---|--:|--:|--:|--:|--:|---|\n" : "\n|---|--:|--:|--:|--:|--:|\n";
  for (size_t i = 0; i < std::min(diff.modules.size(), kMaxChanges); ++i) {
    text += '|';
    for (const std::string& cell : moduleCells(diff.modules[i], ranks)) {
      text += " " + markdownText(inert(cell)) + " |";
    }
    text += '\n';
  }
  text += fmt::format("\n<details><summary>Differences, per rank and run</summary>\n\n");
  for (size_t i = 0; i < std::min(diff.changes.size(), kMaxChanges); ++i) {
    text += "- " + markdownText(changeText(diff.changes[i])) + "\n";
  }
  if (diff.changes.size() > kMaxChanges) {
    text += fmt::format("- and {} more\n", diff.changes.size() - kMaxChanges);
  }
  return text + "\n</details>\n";
}

} // namespace commtap
