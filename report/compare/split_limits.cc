// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/split_limits.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

namespace commtap {
namespace {

/// Returns "the largest part of all_to_all in Net.moe (forward, ep) is 2.41 times the mean part".
std::string imbalanceText(const CellKey& key, double mean) {
  std::ostringstream text;
  text.precision(3);
  text << "the largest part of " << kindName(key.kind) << " in " << key.module << (key.setup ? " (set-up)" : "") << " ("
       << phaseName(key.phase) << ", " << key.group << ") is " << mean << " times the mean part";
  return text.str();
}

std::string numberText(double number) {
  std::ostringstream text;
  text.precision(3);
  text << number;
  return text.str();
}

} // namespace

std::map<CellKey, Splits> splitsByCell(const JobReport& job, bool by_setup) {
  std::map<CellKey, Splits> cells;
  for (const JobCollective& row : job.collectives) {
    if (row.splits.calls > 0) {
      cells[{row.module, row.phase, row.kind, job.groups[row.group].name, "", by_setup && row.setup}] += row.splits;
    }
  }
  return cells;
}

std::vector<std::string> splitNotes(const JobReport& before, const JobReport& after) {
  constexpr double kLeast = 0.1; // of the mean before
  constexpr size_t kMost = 5;
  std::vector<std::pair<double, std::string>> changes;
  const std::map<CellKey, Splits> cells_after = splitsByCell(after, true);
  for (const auto& [key, splits] : splitsByCell(before, true)) {
    const auto found = cells_after.find(key);
    const double mean = splits.imbalance.mean;
    const double change = found == cells_after.end() ? 0 : std::abs(found->second.imbalance.mean - mean);
    if (change >= kLeast * mean && change > 0) {
      changes.emplace_back(
          change, imbalanceText(key, found->second.imbalance.mean) + ", " + numberText(mean) + " times before");
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  changes.resize(std::min(changes.size(), kMost));
  std::vector<std::string> notes;
  notes.reserve(changes.size());
  for (auto& [change, text] : changes) {
    notes.push_back(std::move(text));
  }
  return notes;
}

std::vector<std::vector<std::string>> unevenCells(const Budget& budget, const JobReport& job) {
  std::vector<std::vector<std::string>> uneven(budget.entries.size());
  for (const auto& [key, splits] : splitsByCell(job, budget.per_step)) {
    const size_t i = entryFor(budget, key);
    const std::optional<double> most = i < budget.entries.size() ? budget.entries[i].imbalance : std::nullopt;
    if (most && splits.imbalance.mean > *most) {
      uneven[i].push_back(imbalanceText(key, splits.imbalance.mean) + "; the budget has " + numberText(*most));
    }
  }
  return uneven;
}

} // namespace commtap
