// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget.h"

#include <algorithm>
#include <array>
#include <map>

#include "report/base/glob.h"
#include "report/compare/change_bundle.h"

namespace commtap {
namespace {

constexpr std::array<std::string_view, kAllowedCount> kAllowedNames =
    {"disagreements", "missing_ranks", "killed", "not_seen", "less", "failed"};

BudgetEntry entryOf(const std::string& module_pattern, const ChangeBundle& bundle) {
  BudgetEntry entry;
  entry.pattern = {module_pattern, bundle.first.phase, bundle.first.kind, globLiteral(bundle.first.group)};
  entry.count = bundle.change.after.count;
  entry.bytes = bundle.change.after.bytes;
  return entry;
}

/// Returns the cells that the bundle's pattern matches.
CellKey patternKey(const ChangeBundle& bundle) {
  return {bundle.pattern, bundle.first.phase, bundle.first.kind, bundle.first.group};
}

/// Returns the largest bundle of each pattern. Layers that differ from it get entries of their own.
std::map<CellKey, const ChangeBundle*> largestBundles(const std::vector<ChangeBundle>& bundles) {
  std::map<CellKey, const ChangeBundle*> largest;
  for (const ChangeBundle& each : bundles) {
    const ChangeBundle*& known = largest[patternKey(each)];
    if (each.modules.size() > 1 && (known == nullptr || each.modules.size() > known->modules.size())) {
      known = &each;
    }
  }
  return largest;
}

/// Returns true if `number` has more calls or bytes than `entry` and its tolerance allow.
bool exceeds(const PerRank& number, const BudgetEntry& entry, const CellTolerance& tolerance) {
  constexpr double kRounding = 1e-9; // a mean is a quotient, so equal means can differ in the last digit
  const auto over = [](double has, double may, const Allowance& allowance) {
    return has > may + allowance.of(may) + kRounding * may;
  };
  return over(number.count, entry.count, tolerance.count) || over(number.bytes, entry.bytes, tolerance.bytes);
}

/// Returns the index of the last entry whose pattern matches the cell; the number of entries if no pattern does.
size_t entryFor(const Budget& budget, const CellKey& key) {
  for (size_t i = budget.entries.size(); i-- > 0;) {
    if (budget.entries[i].pattern.matches(key)) {
      return i;
    }
  }
  return budget.entries.size();
}

} // namespace

std::string_view allowedName(Allowed allowed) {
  return kAllowedNames[static_cast<size_t>(allowed)];
}

std::optional<Allowed> allowedFromName(std::string_view name) {
  const auto found = std::find(kAllowedNames.begin(), kAllowedNames.end(), name);
  return found == kAllowedNames.end() ? std::nullopt
                                      : std::optional(static_cast<Allowed>(found - kAllowedNames.begin()));
}

Budget budgetOf(const JobReport& job) {
  std::vector<CellChange> cells;
  for (const auto& [key, number] : cellsOf(job)) {
    cells.push_back({key, {{}, {1, number.count, number.bytes}}}); // whatever ranks have them
  }
  const std::vector<ChangeBundle> bundles = bundle(cells);
  const std::map<CellKey, const ChangeBundle*> largest = largestBundles(bundles);
  std::vector<BudgetEntry> exceptions;
  Budget budget;
  for (const ChangeBundle& each : bundles) {
    if (largest.at(patternKey(each)) == &each) {
      budget.entries.push_back(entryOf(each.pattern, each));
      continue;
    }
    for (const std::string& module : each.modules) {
      exceptions.push_back(entryOf(globLiteral(module), each));
    }
  }
  // excessesOf() applies the last entry that matches a cell, so the exceptions come last.
  budget.entries.insert(budget.entries.end(), exceptions.begin(), exceptions.end());
  return budget;
}

std::vector<std::vector<CellChange>> excessesOf(const Budget& budget, const Cells& cells) {
  std::vector<std::vector<CellChange>> excesses(budget.entries.size() + 1);
  for (const auto& [key, number] : cells) {
    const size_t i = entryFor(budget, key);
    if (i == budget.entries.size()) {
      excesses[i].push_back({key, {{}, number}});
      continue;
    }
    const BudgetEntry& entry = budget.entries[i];
    if (exceeds(number, entry, toleranceFor(budget.tolerances, key))) {
      excesses[i].push_back({key, {{number.ranks, entry.count, entry.bytes}, number}});
    }
  }
  return excesses;
}

} // namespace commtap
