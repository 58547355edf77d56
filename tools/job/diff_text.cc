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

/// Returns the totals of `modules` over all phases, kinds and groups. Only the module, the label and the set-up of
/// each key are set.
Cells byModule(const Cells& cells, const std::set<std::string>& modules) {
  Cells sums;
  for (const auto& [key, number] : cells) {
    if (modules.count(key.module) > 0) {
      PerRank& sum = sums[{key.module, Phase::kOther, Kind::kOther, "", key.label, key.setup}];
      sum.ranks = std::max(sum.ranks, number.ranks);
      sum.count += number.count;
      sum.bytes += number.bytes;
    }
  }
  return sums;
}

std::string jobLine(std::string_view name, const JobReport& job) {
  constexpr size_t kToTheSecond = 19;
  return fmt::format(
      "{:<7} {}: {} {}, started {}Z, {} of {} ranks\n",
      name,
      inert(job.source),
      job.planned ? "plan" : "run",
      inert(job.run_id.empty() ? "without an id" : job.run_id),
      formatTimestamp(job.started_at_ns).substr(0, kToTheSecond),
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

Table changeTable(const char* title) {
  return Table(
      {{title},
       {"CALLS BEFORE", Align::kRight},
       {"AFTER", Align::kRight},
       {"BYTES BEFORE", Align::kRight},
       {"AFTER", Align::kRight},
       {"CHANGE", Align::kRight}});
}

std::string moduleName(const ChangeBundle& change) {
  const std::string name = labelledModule(change.pattern, change.first.label, change.first.setup);
  return change.modules.size() == 1 ? name : fmt::format("{} ({} modules, each)", name, change.modules.size());
}

std::string moduleTable(const JobDiff& diff, const Color& color) {
  Table table = changeTable("MODULE");
  for (size_t i = 0; i < std::min(diff.modules.size(), kMaxChanges); ++i) {
    table.add(changeCells(moduleName(diff.modules[i]), diff.modules[i].change));
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
  Table table = changeTable("GROUP");
  for (const auto& [name, change] : groups) {
    if (change.countDelta() != 0 || change.bytesDelta() != 0) {
      table.add(changeCells(name, change));
    }
  }
  return table.empty() ? "" : "\n" + color.bold("By group, per rank and run") + "\n" + table.text(color);
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
  const std::vector<CellChange> changes = changesBetween(cells_before, cells_after, rules);
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
      bundle(changesBetween(byModule(cells_before, modules), byModule(cells_after, modules), {}))};
}

std::string diffText(const JobDiff& diff, const Color& color) {
  std::string text = jobLine("before", *diff.before) + jobLine("after", *diff.after) + notesText(diff, color);
  text += disagreementLines(*diff.after, color);
  if (diff.changes.empty()) {
    return text + (diff.bucketed == 0 ? "no differences\n" : "the same, except for " + bucketedText(diff) + "\n");
  }
  text += "\n" + moduleTable(diff, color) + groupTable(diff, color) + "\n" + color.bold("Differences") + "\n";
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
  text += "\n| module | calls before | after | bytes before | after | change |\n|---|--:|--:|--:|--:|--:|\n";
  for (size_t i = 0; i < std::min(diff.modules.size(), kMaxChanges); ++i) {
    text += '|';
    for (const std::string& cell : changeCells(moduleName(diff.modules[i]), diff.modules[i].change)) {
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
