// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_view.h"

namespace commtap {
namespace {

/// Up to this many modules fit on a screen.
constexpr size_t kSmallTree = 24;

bool isShown(const ShowFilter& filter, Phase phase) {
  return !filter.phase || *filter.phase == phase;
}

Amount amountAt(const Amounts& amounts, PhaseKind key) {
  const auto found = amounts.find(key);
  return found == amounts.end() ? Amount{} : found->second;
}

void addPhase(const ModuleTotals& module, Phase phase, std::vector<ModuleRow>& rows) {
  ModuleRow row{&module, phase, std::nullopt, {}, {}, rows.empty() || rows.back().module != &module, true};
  for (int i = 0; i < kKindCount; ++i) {
    const PhaseKind key{phase, static_cast<Kind>(i)};
    row.inclusive = amountAt(module.inclusive, key);
    if (row.inclusive.count == 0) {
      continue;
    }
    row.kind = key.kind;
    row.own = amountAt(module.own, key);
    rows.push_back(row);
    row.first_of_module = row.first_of_phase = false;
  }
  if (row.first_of_phase && module.calls[static_cast<size_t>(phase)] > 0) {
    rows.push_back(row);
  }
}

void addModule(const ModuleTotals& module, const ShowFilter& filter, std::vector<ModuleRow>& rows) {
  const size_t before = rows.size();
  for (int i = 0; i < kPhaseCount; ++i) {
    if (isShown(filter, static_cast<Phase>(i))) {
      addPhase(module, static_cast<Phase>(i), rows);
    }
  }
  if (rows.size() == before) {
    const Phase phase = filter.phase.value_or(Phase::kForward);
    rows.push_back({&module, phase, std::nullopt, {}, {}, true, true});
  }
}

} // namespace

ShowView viewOf(const ReportFolder& folder, const ShowFilter& filter) {
  ShowView view;
  view.filter = filter;
  view.files = selectFiles(folder, filter.attempt, filter.rank);
  std::vector<const Report*> reports;
  for (const ReportFile* file : view.files) {
    reports.push_back(&file->report);
  }
  view.summary = summaryOf(reports);
  view.totals = totalsOf(reports);
  return view;
}

ModuleRows moduleRows(const ShowView& view) {
  ModuleRows result;
  const bool all = view.filter.all || view.totals.modules.size() <= kSmallTree;
  for (const ModuleTotals& module : view.totals.modules) {
    if (view.filter.depth && module.depth > *view.filter.depth) {
      ++result.too_deep;
    } else if (!all && sumOf(module.inclusive, view.filter.phase, std::nullopt).count == 0) {
      ++result.without_collectives;
    } else {
      addModule(module, view.filter, result.rows);
    }
  }
  return result;
}

} // namespace commtap
