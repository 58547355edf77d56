// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/base/glob.h"
#include "report/compare/change_bundle.h"
#include "report/job/job_report.h"

namespace commtap {
namespace {

constexpr std::array<std::string_view, kAllowedCount> kAllowedNames =
    {"disagreements", "missing_ranks", "killed", "not_seen", "less", "failed"};

BudgetEntry entryOf(const std::string& module_pattern, const ChangeBundle& bundle) {
  BudgetEntry entry;
  entry.pattern = {module_pattern, bundle.first.phase, bundle.first.kind, globLiteral(bundle.first.group)};
  entry.count = bundle.change.after.count;
  entry.bytes = bundle.change.after.bytes;
  entry.setup = bundle.first.setup;
  return entry;
}

/// Returns the cells that the bundle's pattern matches.
CellKey patternKey(const ChangeBundle& bundle) {
  return {bundle.pattern, bundle.first.phase, bundle.first.kind, bundle.first.group, "", bundle.first.setup};
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

/// Returns true if `number` has more calls or bytes than `limit` and its tolerance allow.
bool exceeds(const PerRank& number, const PerRank& limit, const CellTolerance& tolerance) {
  const auto over = [](double has, double may, const Allowance& allowance) {
    return has > may + allowance.of(may) + kMeanRounding * may;
  };
  return over(number.count, limit.count, tolerance.count) || over(number.bytes, limit.bytes, tolerance.bytes);
}

/// Returns the maximum of an entry per step, for a run of `steps` steps.
PerRank limitPerStep(const BudgetEntry& entry, uint64_t steps, uint64_t budget_steps) {
  const double whole = std::floor(entry.count + kMeanRounding * entry.count);
  const double part = entry.count - whole; // of the steps have one call more
  double count = entry.count;
  if (part > 0.5) { // all but few
    count = whole + 1;
  } else if (part > kMeanRounding * entry.count) {
    const auto most_steps = static_cast<double>(std::max(steps, budget_steps));
    count = whole + std::ceil(part * most_steps - kMeanRounding * most_steps) / static_cast<double>(steps);
  }
  return {0, count, entry.count > 0 ? entry.bytes * (count / entry.count) : entry.bytes};
}

/// Returns the cells of a job in the unit of a budget.
Cells cellsFor(const Budget& budget, const JobReport& job) {
  return budget.per_step ? cellsBySetup(job, stepsOf(job)) : cellsOf(job);
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
  Budget budget;
  const uint64_t steps = stepsOf(job);
  budget.per_step = steps > 1;
  budget.steps = budget.per_step ? steps : 0;
  std::vector<CellChange> cells;
  for (const auto& [key, number] : cellsFor(budget, job)) {
    cells.push_back({key, {{}, {1, number.count, number.bytes}}}); // whatever ranks have them
  }
  const std::vector<ChangeBundle> bundles = bundle(cells);
  const std::map<CellKey, const ChangeBundle*> largest = largestBundles(bundles);
  std::vector<BudgetEntry> exceptions;
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

size_t entryFor(const Budget& budget, const CellKey& key) {
  for (size_t i = budget.entries.size(); i-- > 0;) {
    if (budget.entries[i].pattern.matches(key) && budget.entries[i].setup == key.setup) {
      return i;
    }
  }
  return budget.entries.size();
}

std::vector<std::vector<CellChange>> excessesOf(const Budget& budget, const JobReport& job) {
  const uint64_t steps = std::max<uint64_t>(stepsOf(job), 1);
  const JobStep* const unfinished = unfinishedStep(job);
  std::vector<std::vector<CellChange>> excesses(budget.entries.size() + 1);
  for (auto [key, number] : cellsFor(budget, job)) {
    const size_t i = entryFor(budget, key);
    if (i == budget.entries.size()) {
      excesses[i].push_back({key, {{}, number}});
      continue;
    }
    const BudgetEntry& entry = budget.entries[i];
    const bool per_step = budget.per_step && !key.setup;
    PerRank limit = per_step ? limitPerStep(entry, steps, budget.steps) : PerRank{0, entry.count, entry.bytes};
    limit.ranks = number.ranks;
    if (per_step && unfinished != nullptr) {
      leaveOut(*unfinished, key, limit, number);
    }
    if (exceeds(number, limit, toleranceFor(budget.tolerances, key))) {
      excesses[i].push_back({key, {limit, number}});
    }
  }
  return excesses;
}

} // namespace commtap
