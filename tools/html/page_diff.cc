// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_data.h"

#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/base/text_file.h"
#include "report/compare/change_bundle.h"
#include "report/compare/job_comparison.h"
#include "report/json/fields.h"
#include "report/sweep/sweep.h"
#include "tools/html/page_columns.h"
#include "tools/job/diff_summary.h"
#include "tools/job/diff_text.h"

namespace commtap {
namespace {

using nlohmann::json;
using page::columnOf;
using page::Strings;
using page::toJson;

struct TotalRow {
  std::string_view by;
  std::string name;
  Change change;
};

using Totals = std::map<std::string, PerRank>;

void addTotals(std::vector<TotalRow>& rows, std::string_view by, const Totals& before, const Totals& after) {
  std::map<std::string, Change> all;
  for (const auto& [name, number] : before) {
    all[name].before = number;
  }
  for (const auto& [name, number] : after) {
    all[name].after = number;
  }
  for (const auto& [name, change] : all) {
    rows.push_back({by, name, change});
  }
}

std::string kindOf(const CellKey& key) {
  return std::string(kindName(key.kind));
}

std::string phaseOf(const CellKey& key) {
  return std::string(phaseName(key.phase));
}

/// Returns totals in the unit of the diff: those per step have set-up in a row of its own.
std::vector<TotalRow> totalsOf(const JobDiff& diff, const JobComparison& cells) {
  const JobReport& before = *diff.before;
  const JobReport& after = *diff.after;
  std::vector<TotalRow> rows = {{"all", "", diff.total}};
  if (!diff.steps.arePerStep()) {
    addTotals(rows, "kind", perRankByKind(before), perRankByKind(after));
    addTotals(rows, "phase", perRankByPhase(before), perRankByPhase(after));
    addTotals(rows, "group", perRankByGroup(before), perRankByGroup(after));
    return rows;
  }
  const auto [steps_before, steps_after] = diff.steps;
  const auto add = [&](std::string_view by, std::string (*nameOf)(const CellKey&)) {
    addTotals(
        rows,
        by,
        totalsBy(cells.before, before, steps_before, nameOf),
        totalsBy(cells.after, after, steps_after, nameOf));
  };
  add("kind", kindOf);
  add("phase", phaseOf);
  add("group", [](const CellKey& key) { return key.group; });
  if (diff.setup.before.count > 0 || diff.setup.after.count > 0) {
    rows.push_back({"set-up", "", diff.setup});
  }
  return rows;
}

/// Adds the columns with the amounts of both runs. An amount that a run does not have is null.
template <typename Rows>
void addAmounts(json& table, const Rows& rows) {
  const auto add = [&](const char* name, PerRank Change::*run, double PerRank::*amount) {
    table[name] = columnOf(rows, [&](const auto& row) {
      const PerRank& number = row.change.*run;
      return number.ranks == 0 ? json(nullptr) : json(number.*amount);
    });
  };
  add("count_before", &Change::before, &PerRank::count);
  add("count_after", &Change::after, &PerRank::count);
  add("bytes_before", &Change::before, &PerRank::bytes);
  add("bytes_after", &Change::after, &PerRank::bytes);
}

json totalsTable(const std::vector<TotalRow>& rows, Strings& strings) {
  json table = {
      {"by", columnOf(rows, [](const TotalRow& row) { return row.by; })},
      {field::kName, columnOf(rows, [&](const TotalRow& row) { return strings(row.name); })},
  };
  addAmounts(table, rows);
  return table;
}

/// Returns "0-3 to 0-1"; "" if the same ranks have the amount.
std::string movedText(const Change& change) {
  return change.hasOtherRanks() ? rankText(change.before.on) + " to " + rankText(change.after.on) : "";
}

json changesTable(const std::vector<ChangeBundle>& rows, Strings& strings) {
  json table = {
      {field::kModule, columnOf(rows, [&](const ChangeBundle& row) { return strings(row.name); })},
      {field::kModules,
       columnOf(
           rows,
           [&](const ChangeBundle& row) {
             return columnOf(row.modules, [&](const std::string& name) { return strings(name); });
           })},
      {field::kPhase, columnOf(rows, [](const ChangeBundle& row) { return row.first.phase; })},
      {field::kKind, columnOf(rows, [](const ChangeBundle& row) { return row.first.kind; })},
      {field::kGroup, columnOf(rows, [&](const ChangeBundle& row) { return strings(row.first.group); })},
      {field::kLabel, columnOf(rows, [&](const ChangeBundle& row) { return strings(row.first.label); })},
      {field::kSetup, columnOf(rows, [](const ChangeBundle& row) { return row.first.setup; })},
      {field::kRanks, columnOf(rows, [&](const ChangeBundle& row) { return strings(movedText(row.change)); })},
  };
  addAmounts(table, rows);
  return table;
}

json runOf(const JobReport& job, Strings& strings) {
  return {
      {field::kJob, page::factsOf(job)},
      {field::kRanks, toJson(job.ranks)},
      {field::kMissingRanks, toJson(job.missing)},
      {field::kProcesses, page::processesOf(job, strings)},
      {field::kProblems, job.problems},
      {field::kDisagreementsFound, job.disagreements_found},
  };
}

} // namespace

std::string
diffData(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules, ComparedSteps steps) {
  Strings strings;
  const JobDiff diff = diffOf(before, after, rules, steps);
  const JobComparison cells = compareJobs(before, after, rules, steps);
  json document = {
      {"phases", page::phaseNames()},
      {"kinds", page::kindNames()},
      {"before", runOf(before, strings)},
      {"after", runOf(after, strings)},
      {"summary", diffSummary(diff)},
      {"unit", diffUnit(diff)},
      {"notes", diff.notes},
      {"totals", totalsTable(totalsOf(diff, cells), strings)},
      {"changes", changesTable(diff.changes, strings)},
  };
  document["strings"] = strings.take();
  return page::documentText(document);
}

Result<std::string> sweepData(const std::string& file) {
  Result<std::string> text = readJsonInput(file);
  if (!text) {
    return text;
  }
  const nlohmann::json document = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document.contains(field::kSchema) || document[field::kSchema] != kSweepSchema) {
    return Result<std::string>::failure(file + " is no sweep of commtap plan (" + kSweepSchema + ")");
  }
  return page::documentText(document);
}

} // namespace commtap
