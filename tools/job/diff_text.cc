// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/diff_text.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/compare/job_comparison.h"
#include "report/compare/merged_rows.h"
#include "report/job/job_report.h"
#include "tools/job/change_text.h"
#include "tools/job/diff_summary.h"
#include "tools/text/call_text.h"
#include "tools/text/job_text.h"
#include "tools/text/markup.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxChanges = 40;

/// Returns when a job started; "" for one without a time, such as a snapshot of a test (docs/pytest.md).
std::string startText(const JobReport& job) {
  return job.started_at_ns == 0 ? "" : fmt::format(", started {}Z", formatSecond(job.started_at_ns));
}

std::string jobLine(std::string_view name, const JobReport& job) {
  const Means means(job);
  return fmt::format(
      "{:<7} {}: {} {}{}{}, {} of {} ranks{}\n",
      name,
      inert(job.source),
      job.planned ? "plan" : "run",
      inert(job.run_id.empty() ? "without an id" : job.run_id),
      job.name.empty() ? "" : " (" + inert(job.name) + ")",
      startText(job),
      countOf(job.ranks),
      job.world_size ? std::to_string(*job.world_size) : "?",
      means.steps() == 0 || means.isOneOpenStep() ? "" : ", " + counted(means.steps(), "step"));
}

std::vector<std::string> changeCells(const std::string& name, const Change& change) {
  return {
      name,
      countText(change.before.count),
      countText(change.after.count),
      humanBytes(change.before.bytes),
      humanBytes(change.after.bytes),
      percentText(change.before.bytes, change.after.bytes),
  };
}

/// The columns of changeCells() after the name.
constexpr const char* kChangeColumns = "|CALLS BEFORE>|AFTER>|BYTES BEFORE>|AFTER>|CHANGE>";

std::string moduleName(const ChangeBundle& change) {
  const std::string name = labelledModule(change.name, change.first.label, change.first.setup);
  return change.modules.size() == 1 ? name : fmt::format("{} ({} modules, each)", name, change.modules.size());
}

/// Returns whether the numbers are means over ranks that differ.
bool isMean(const Change& change) {
  return change.before.is_uneven || change.after.is_uneven;
}

/// Returns whether to show which ranks have the modules' totals: some have others than before, or differ.
bool showsRanks(const JobDiff& diff) {
  return std::any_of(diff.modules.begin(), diff.modules.end(), [](const ChangeBundle& each) {
    return each.change.hasOtherRanks() || isMean(each.change);
  });
}

/// Returns the cells of a module's totals. With `ranks`, those of both runs, or of one if they are the same.
std::vector<std::string> moduleCells(const ChangeBundle& module, bool ranks) {
  std::vector<std::string> cells = changeCells(moduleName(module), module.change);
  if (ranks) {
    const std::string before = rankText(module.change.before.on);
    const std::string after = rankText(module.change.after.on);
    const std::string on = module.change.hasOtherRanks() ? before + " to " + after : before.empty() ? after : before;
    cells.push_back(isMean(module.change) ? "mean of " + on : on);
  }
  return cells;
}

/// The modules' totals that a table has.
enum class Part : uint8_t { kAll, kSteps, kSetup };

/// Returns the parts of a diff that have tables of their own: set-up is in no step.
std::vector<Part> partsOf(const JobDiff& diff) {
  return diff.steps.arePerStep() ? std::vector{Part::kSteps, Part::kSetup} : std::vector{Part::kAll};
}

/// Returns "per rank and step".
const char* unitOf(Part part) {
  return part == Part::kSteps ? "per rank and step" : "per rank and run";
}

/// Returns the rows of a part's table: at most kMaxChanges modules, and the total. Returns none if no module differs.
std::vector<std::vector<std::string>> moduleRows(const JobDiff& diff, Part part) {
  const bool ranks = showsRanks(diff);
  std::vector<std::vector<std::string>> rows;
  for (const ChangeBundle& module : diff.modules) {
    if (rows.size() < kMaxChanges && (part == Part::kAll || module.first.setup == (part == Part::kSetup))) {
      rows.push_back(moduleCells(module, ranks));
    }
  }
  if (!rows.empty()) {
    rows.push_back(changeCells("all modules, over all ranks", part == Part::kSetup ? diff.setup : diff.total));
    rows.back().resize(rows.front().size());
  }
  return rows;
}

/// Returns a table of the modules of a part whose totals differ; "" if only which rows make them up does.
std::string moduleTable(const JobDiff& diff, Part part, const Color& color) {
  Table table(std::string("MODULE") + kChangeColumns + (showsRanks(diff) ? "|RANKS" : ""));
  for (std::vector<std::string>& row : moduleRows(diff, part)) {
    table.add(std::move(row));
  }
  const std::string title = fmt::format(
      "{}, {} (without its children; the largest growth first)",
      part == Part::kSetup ? "Set-up by module" : "By module",
      unitOf(part));
  return table.empty() ? "" : color.bold(title) + "\n" + table.text(color);
}

std::map<std::string, Change> changedGroups(
    const std::map<std::string, PerRank>& before,
    const std::map<std::string, PerRank>& after) {
  std::map<std::string, Change> groups;
  for (const auto& [name, number] : before) {
    groups[name].before = number;
  }
  for (const auto& [name, number] : after) {
    groups[name].after = number;
  }
  std::erase_if(
      groups, [](const auto& group) { return group.second.countDelta() == 0 && group.second.bytesDelta() == 0; });
  return groups;
}

/// Returns a table of the groups whose numbers differ; "" if none do.
std::string groupTable(const JobDiff& diff, const Color& color) {
  Table table(std::string("GROUP") + kChangeColumns);
  for (const auto& [name, change] : diff.groups) {
    table.add(changeCells(name, change));
  }
  const std::string title = fmt::format("By group, {} (over all ranks)", unitOf(partsOf(diff).front()));
  return table.empty() ? "" : color.bold(title) + "\n" + table.text(color);
}

/// Returns the title of the differences.
std::string changesTitle(const JobDiff& diff) {
  return "Differences, " + diffUnit(diff);
}

/// Returns the table of moduleRows() in Markdown.
std::string markdownTable(const JobDiff& diff, Part part) {
  const std::vector<std::vector<std::string>> rows = moduleRows(diff, part);
  if (rows.empty()) {
    return "";
  }
  std::string text = fmt::format(
      "\n{}, {}:\n\n| module | calls before | after | bytes before | after | change |",
      part == Part::kSetup ? "Set-up" : "Modules",
      unitOf(part));
  text += showsRanks(diff) ? " ranks |\n|---|--:|--:|--:|--:|--:|---|\n" : "\n|---|--:|--:|--:|--:|--:|\n";
  for (const std::vector<std::string>& row : rows) {
    text += '|';
    for (const std::string& cell : row) {
      text += " " + markdownText(inert(cell)) + " |";
    }
    text += '\n';
  }
  return text;
}

std::string notesText(const JobDiff& diff, const Color& color) {
  std::string text;
  for (const std::string& note : diff.notes) {
    text += color.warning("note: ") + inert(note) + "\n";
  }
  return text;
}

} // namespace

std::string bucketedText(const JobDiff& diff) {
  return diff.bucketed == 1 ? "1 bucketed row" : fmt::format("{} bucketed rows", diff.bucketed);
}

JobDiff
diffOf(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules, ComparedSteps steps) {
  JobComparison comparison = compareJobs(before, after, rules, steps);
  const std::vector<std::string> ends = badEnds({&before, &after});
  comparison.notes.insert(comparison.notes.begin(), ends.begin(), ends.end());
  std::set<std::string> modules;
  for (const CellChange& change : comparison.changes) {
    modules.insert(change.key.module);
  }
  const bool per_step = steps.arePerStep();
  const auto in_setup = [](const CellKey& key) { return key.setup; };
  const auto is_counted =
      per_step ? +[](const CellKey& key) { return !key.setup; } : +[](const CellKey&) { return true; };
  const auto totals = [&](const Cells& cells, const JobReport& job, uint64_t divisor) {
    return per_step ? totalsByGroup(cells, job, divisor) : perRankByGroup(job);
  };
  std::vector<CellChange> by_module = changesBetween(
      totalsByModule(comparison.before, modules, steps.before),
      totalsByModule(comparison.after, modules, steps.after),
      comparedRanks(before, after),
      {});
  return {
      &before,
      &after,
      mergedDifference(before, after).rows,
      std::move(comparison.notes),
      std::move(comparison.dtypes),
      bundle(comparison.changes, stepsOfBoth(before, after), per_step),
      bundle(by_module, 1, per_step),
      steps,
      changedGroups(totals(comparison.before, before, steps.before), totals(comparison.after, after, steps.after)),
      {totalOf(comparison.before, before, steps.before, is_counted),
       totalOf(comparison.after, after, steps.after, is_counted)},
      {totalOf(comparison.before, before, 0, in_setup), totalOf(comparison.after, after, 0, in_setup)}};
}

bool isSame(const JobDiff& diff) {
  return diff.changes.empty() && diff.dtypes.empty();
}

std::string diffUnit(const JobDiff& diff) {
  return diff.steps.arePerStep() ? "per rank and step (set-up: per rank and run)" : "per rank and run";
}

std::string diffText(const JobDiff& diff, const Color& color) {
  std::string text = color.bold(diffSummary(diff)) + "\n" + jobLine("before", *diff.before) +
                     jobLine("after", *diff.after) + notesText(diff, color);
  text += disagreementLines(*diff.after, color);
  if (diff.changes.empty()) {
    return text;
  }
  for (const Part part : partsOf(diff)) {
    const std::string table = moduleTable(diff, part, color);
    text += table.empty() ? "" : "\n" + table;
  }
  const std::string groups = groupTable(diff, color);
  text += (groups.empty() ? "" : "\n" + groups) + "\n" + color.bold(changesTitle(diff)) + "\n";
  for (size_t i = 0; i < std::min(diff.changes.size(), kMaxChanges); ++i) {
    text += "  " + changeText(diff.changes[i]) + "\n";
  }
  if (diff.changes.size() > kMaxChanges) {
    text += color.dim(fmt::format("  and {} more: --json", diff.changes.size() - kMaxChanges)) + "\n";
  }
  return text;
}

std::string diffMarkdown(const JobDiff& diff) {
  std::string text = fmt::format("### commtap: {} differences\n\n", diff.changes.size());
  if (isSame(diff)) {
    text = "### commtap: communication is unchanged" +
           (diff.bucketed == 0 ? "" : ", except for " + bucketedText(diff)) + "\n\n";
  } else {
    text += markdownText(diffSummary(diff)) + "\n\n";
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
  for (const Part part : partsOf(diff)) {
    text += markdownTable(diff, part);
  }
  text += "\n<details><summary>" + changesTitle(diff) + "</summary>\n\n";
  for (size_t i = 0; i < std::min(diff.changes.size(), kMaxChanges); ++i) {
    text += "- " + markdownText(changeText(diff.changes[i])) + "\n";
  }
  if (diff.changes.size() > kMaxChanges) {
    text += fmt::format("- and {} more\n", diff.changes.size() - kMaxChanges);
  }
  return text + "\n</details>\n";
}

} // namespace commtap
