// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/exposed_limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/compare/compared_steps.h"
#include "report/job/exposed_time.h"
#include "report/job/number_text.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// The exposed time of several rows over all ranks.
struct ExposedSum {
  uint64_t ns = 0;
  bool is_known = true; ///< each call is timed

  void add(const JobCollective& row) {
    addSaturating(ns, row.time.exposed_ns);
    is_known = is_known && areAllTimed(row);
  }
};

/// Returns the exposed time of a job by what `keyOf` returns of a row, without set-up.
template <typename KeyOf>
auto exposedBy(const JobReport& job, const KeyOf& keyOf) {
  std::map<decltype(keyOf(JobCollective())), ExposedSum> sums;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      sums[keyOf(row)].add(row);
    }
  }
  return sums;
}

ExposedSum exposedOf(const JobReport& job) {
  const auto sums = exposedBy(job, [](const JobCollective& /*row*/) { return 0; });
  return sums.empty() ? ExposedSum() : sums.at(0);
}

bool isAnyTimed(const JobReport& job) {
  return std::any_of(
      job.collectives.begin(), job.collectives.end(), [](const JobCollective& row) { return row.time.count > 0; });
}

bool isAllTimed(const JobReport& job) {
  return isAnyTimed(job) && exposedOf(job).is_known;
}

/// Returns why the exposed times of two jobs, one of which is timed, cannot be compared; "" if they can.
std::string incomparable(const JobReport& before, const JobReport& after) {
  if (const std::string_view untimed = runsWithout(isAllTimed(before), isAllTimed(after)); !untimed.empty()) {
    return "not every call of " + std::string(untimed) + " is timed";
  }
  const auto has_steps = [](const JobReport& job) { return ExposedUnit(job).steps() > 0; };
  const std::string_view without = runsWithout(has_steps(before), has_steps(after));
  return without.empty() ? "" : "no training steps are known of " + std::string(without);
}

/// Returns "1.20 ms (3.1 % of a step)".
std::string exposedText(const ExposedUnit& unit, uint64_t ns) {
  const std::optional<double> part = unit.partOfStep(ns);
  return humanDuration(unit.perRank(ns)) + (part ? " (" + percentText(100 * *part) + " of a step)" : "");
}

std::string cellText(const CellKey& key) {
  return std::string(kindName(key.kind)) + " in " + key.module + " (" + std::string(phaseName(key.phase)) + ", " +
         key.group + ")";
}

/// Returns what is wrong with an exposed time that may take `most` percent of a step; "" if nothing is.
std::string excessText(const std::string& subject, const ExposedSum& sum, const ExposedUnit& unit, double most) {
  const std::optional<double> part = unit.partOfStep(sum.ns);
  if (!sum.is_known) {
    return "not every call of " + subject + " is timed, so its exposed time is not known: run with COMMTAP_TIMING=host";
  }
  if (!part) {
    return "the share of a step of " + subject +
           " is not known: no training step has ended, or the last one takes most of the time (commtap.mark_step ends "
           "one)";
  }
  return 100 * *part > most ? "the job stands still for " + subject + " in " + percentText(100 * *part) +
                                  " of a step; the budget has " + percentText(most)
                            : "";
}

} // namespace

std::vector<std::string> exposedNotes(const JobReport& before, const JobReport& after) {
  constexpr double kLeast = 0.1; // of the time before
  constexpr size_t kMost = 5;
  if (!isAnyTimed(before) && !isAnyTimed(after)) {
    return {};
  }
  if (const std::string reason = incomparable(before, after); !reason.empty()) {
    return {"exposed times are not compared: " + reason};
  }
  const ExposedUnit unit_before(before);
  const ExposedUnit unit_after(after);
  const auto text = [&](const std::string& what, uint64_t ns_before, uint64_t ns_after) {
    return what + ": " + exposedText(unit_before, ns_before) + " per rank and step before, " +
           exposedText(unit_after, ns_after) + " after";
  };
  const auto by_kind = [](const JobReport& job) {
    return exposedBy(job, [&job](const JobCollective& row) { return std::pair(row.kind, job.groups[row.group].name); });
  };
  auto sums_before = by_kind(before);
  auto sums_after = by_kind(after);
  for (const auto& [key, sum] : sums_after) {
    sums_before.try_emplace(key);
  }
  std::vector<std::pair<double, std::string>> changes;
  for (const auto& [key, sum] : sums_before) {
    const uint64_t ns_before = sum.ns;
    const uint64_t ns_after = sums_after[key].ns;
    const double mean = unit_before.perRank(ns_before);
    const double change = std::abs(unit_after.perRank(ns_after) - mean);
    if (change > 0 && change >= kLeast * mean) {
      changes.emplace_back(
          change, text("exposed for " + std::string(kindName(key.first)) + " on " + key.second, ns_before, ns_after));
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  changes.resize(std::min(changes.size(), kMost));
  std::vector<std::string> notes = {text("exposed for all collectives", exposedOf(before).ns, exposedOf(after).ns)};
  for (auto& [change, line] : changes) {
    notes.push_back(std::move(line));
  }
  return notes;
}

std::vector<std::vector<std::string>> exposedCells(const Budget& budget, const JobReport& job) {
  const ExposedUnit unit(job);
  std::vector<std::vector<std::string>> beyond(budget.entries.size() + 1);
  const auto add = [&](size_t entry, const std::string& subject, const ExposedSum& sum, double most) {
    if (std::string text = excessText(subject, sum, unit, most); !text.empty()) {
      beyond[entry].push_back(std::move(text));
    }
  };
  const auto keyOf = [&job](const JobCollective& row) {
    return CellKey{row.module, row.phase, row.kind, job.groups[row.group].name};
  };
  for (const auto& [key, sum] : exposedBy(job, keyOf)) {
    const size_t i = entryFor(budget, key);
    if (i < budget.entries.size() && budget.entries[i].exposed) {
      add(i, cellText(key), sum, *budget.entries[i].exposed);
    }
  }
  if (budget.exposed) {
    add(budget.entries.size(), "all collectives", exposedOf(job), *budget.exposed);
  }
  return beyond;
}

} // namespace commtap
