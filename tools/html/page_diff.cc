// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_diff.h"

#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/compare/change_bundle.h"
#include "report/compare/job_diff.h"
#include "report/compare/matched_groups.h"
#include "report/json/fields.h"
#include "tools/html/page_columns.h"
#include "tools/html/page_run.h"

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

PerRank sumOf(const Totals& totals) {
  PerRank sum;
  for (const auto& [name, number] : totals) {
    sum.ranks = number.ranks;
    sum.count += number.count;
    sum.bytes += number.bytes;
  }
  return sum;
}

std::vector<TotalRow> totalsOf(const JobReport& before, const JobReport& after) {
  const Totals kinds_before = perRankByKind(before);
  const Totals kinds_after = perRankByKind(after);
  std::vector<TotalRow> rows = {{"all", "", {sumOf(kinds_before), sumOf(kinds_after)}}};
  addTotals(rows, "kind", kinds_before, kinds_after);
  addTotals(rows, "phase", perRankByPhase(before), perRankByPhase(after));
  addTotals(rows, "group", perRankByGroup(before), perRankByGroup(after));
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

std::string diffData(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules) {
  Strings strings;
  auto [cells_before, cells_after] = comparableCells(before, after);
  std::vector<std::string> notes = comparisonNotes(before, after);
  for (std::string& note : matchGroups(before, after, cells_before, cells_after)) {
    notes.push_back(std::move(note));
  }
  const std::vector<CellChange> changes =
      changesBetween(cells_before, cells_after, comparedRanks(before, after), rules);
  json document = {
      {"phases", page::phaseNames()},
      {"kinds", page::kindNames()},
      {"before", runOf(before, strings)},
      {"after", runOf(after, strings)},
      {"notes", notes},
      {"totals", totalsTable(totalsOf(before, after), strings)},
      {"changes", changesTable(bundle(changes, stepsOfBoth(before, after)), strings)},
  };
  document["strings"] = strings.take();
  return page::documentText(document);
}

} // namespace commtap
