// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_diff.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_map>

#include "report/compare/merged_rows.h"
#include "report/job/merged_row.h"
#include "report/job/step_count.h"
#include "report/model/module_pattern.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// The sums of a cell's rows and the ranks that have them.
struct CellSum {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t most_ranks = 0; ///< the most ranks of any row; counts processes without a rank, which no rank set lists
  std::set<size_t> rank_sets;
};

uint64_t ranksIn(const CellSum& sum, const JobReport& job) {
  if (sum.rank_sets.size() == 1) {
    return sum.most_ranks;
  }
  std::vector<int64_t> ranks;
  for (const size_t set : sum.rank_sets) {
    for (const auto& [first, last] : job.rank_sets[set]) {
      for (int64_t rank = first; rank <= last; ++rank) {
        ranks.push_back(rank);
      }
    }
  }
  return std::max<uint64_t>(countOf(rankRanges(std::move(ranks))), sum.most_ranks);
}

PerRank perRank(uint64_t count, uint64_t bytes, uint64_t ranks) {
  const auto divisor = static_cast<double>(std::max<uint64_t>(ranks, 1));
  return {ranks, static_cast<double>(count) / divisor, static_cast<double>(bytes) / divisor};
}

std::map<std::string, PerRank> divided(const std::map<std::string, Amount>& sums, const JobReport& job) {
  std::map<std::string, PerRank> result;
  for (const auto& [name, amount] : sums) {
    result[name] = perRank(amount.count, amount.bytes, std::max<uint64_t>(countOf(job.ranks), 1));
  }
  return result;
}

/// Returns the totals per name. `nameOf(key)`: the name of a total.
template <typename NameOf>
std::map<std::string, PerRank> totalsBy(const JobReport& job, NameOf nameOf) {
  std::map<std::string, Amount> sums;
  for (const JobTotal& total : job.totals) {
    sums[std::string(nameOf(total.key))] += {total.amount.count.sum, total.amount.bytes.sum, 0};
  }
  return divided(sums, job);
}

bool isTolerated(const Change& change, const CellTolerance& tolerance) {
  // A mean is a quotient: equal means can differ in the last digit.
  constexpr double kRounding = 1e-9;
  const auto within = [](double delta, double before, const Allowance& allowance) {
    return std::abs(delta) <= allowance.of(before) + kRounding * before;
  };
  return within(change.countDelta(), change.before.count, tolerance.count) &&
         within(change.bytesDelta(), change.before.bytes, tolerance.bytes);
}

auto orderOf(const CellChange& cell) {
  const Change& change = cell.change;
  return std::tuple(
      !change.grew(), -std::abs(change.bytesDelta()), -std::abs(change.countDelta()), std::cref(cell.key).get());
}

/// Returns the calls of a root module per rank, summed over all phases.
double callsOf(const JobModule& module, const JobReport& job) {
  double calls = 0;
  for (const Spread<uint64_t>& spread : module.calls) {
    calls += static_cast<double>(spread.sum);
  }
  return calls / static_cast<double>(std::max<size_t>(countOf(job.rank_sets[module.rank_set]), 1));
}

std::string plain(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string worldText(const std::optional<int64_t>& world_size) {
  return world_size ? std::to_string(*world_size) : "an unknown number of";
}

} // namespace

namespace {

/// Rules by which cellsOf() makes cells of rows.
struct CellRules {
  bool by_label = false;  ///< and by set-up
  bool by_member = false; ///< the calls that a compiler merged are those of the members
};

/// Adds a row's calls, or some of them, to the cell of a key.
void addTo(CellSum& sum, const JobCollective& row, uint64_t count, uint64_t bytes) {
  addSaturating(sum.count, count);
  addSaturating(sum.bytes, bytes);
  sum.most_ranks = std::max(sum.most_ranks, row.amount.ranks);
  sum.rank_sets.insert(row.rank_set);
}

Cells cellsOf(const JobReport& job, CellRules rules) {
  std::map<CellKey, CellSum> sums;
  for (const JobCollective& row : job.collectives) {
    CellKey key{
        row.module,
        row.phase,
        row.kind,
        job.groups[row.group].name,
        rules.by_label ? row.label : "",
        rules.by_label && row.setup};
    if (rules.by_member && isMerged(row)) {
      key.label.clear(); // it is Global's
      for (const JobMember& member : row.members) {
        key.module = member.module;
        addTo(sums[key], row, *member.count, member.bytes);
      }
    } else {
      addTo(sums[std::move(key)], row, row.amount.count.sum, row.amount.bytes.sum);
    }
  }
  Cells cells;
  for (const auto& [key, sum] : sums) {
    cells[key] = perRank(sum.count, sum.bytes, ranksIn(sum, job));
  }
  return cells;
}

} // namespace

Cells cellsOf(const JobReport& job) {
  return cellsOf(job, CellRules());
}

std::pair<Cells, Cells> comparableCells(const JobReport& before, const JobReport& after) {
  constexpr CellRules rules{.by_label = true, .by_member = true};
  return {cellsOf(before, rules), cellsOf(after, rules)};
}

std::map<std::string, PerRank> perRankByGroup(const JobReport& job) {
  std::map<std::string, Amount> sums;
  for (const JobGroup& group : job.groups) {
    sums[group.name] = sumOf(group.totals, std::nullopt, std::nullopt);
  }
  return divided(sums, job);
}

std::map<std::string, PerRank> perRankByKind(const JobReport& job) {
  return totalsBy(job, [](const PhaseKind& key) { return kindName(key.kind); });
}

std::map<std::string, PerRank> perRankByPhase(const JobReport& job) {
  return totalsBy(job, [](const PhaseKind& key) { return phaseName(key.phase); });
}

std::vector<CellChange> changesBetween(const Cells& before, const Cells& after, const std::vector<Tolerance>& rules) {
  std::map<CellKey, Change> all;
  for (const auto& [key, number] : before) {
    all[key].before = number;
  }
  for (const auto& [key, number] : after) {
    all[key].after = number;
  }
  std::vector<CellChange> changes;
  for (const auto& [key, change] : all) {
    if (!isTolerated(change, toleranceFor(rules, key))) {
      changes.push_back({key, change});
    }
  }
  std::sort(
      changes.begin(), changes.end(), [](const CellChange& a, const CellChange& b) { return orderOf(a) < orderOf(b); });
  return changes;
}

uint64_t stepsOfBoth(const JobReport& before, const JobReport& after) {
  const uint64_t steps = stepsOf(before);
  return steps > 0 && steps == stepsOf(after) ? steps : 1;
}

std::vector<ChangeBundle> bundle(const std::vector<CellChange>& changes, uint64_t steps) {
  using Sameness = std::tuple<std::string, Phase, Kind, std::string, std::string, bool, double, double, double, double>;
  std::map<Sameness, size_t> places;
  std::vector<ChangeBundle> bundles;
  for (const CellChange& cell : changes) {
    const auto& [before, after] = cell.change;
    const Sameness sameness(
        skeletonOf(cell.key.module),
        cell.key.phase,
        cell.key.kind,
        cell.key.group,
        cell.key.label,
        cell.key.setup,
        before.count,
        before.bytes,
        after.count,
        after.bytes);
    const auto [place, is_new] = places.emplace(sameness, bundles.size());
    if (is_new) {
      bundles.push_back({"", {}, cell.key, cell.change, steps});
    }
    bundles[place->second].modules.push_back(cell.key.module);
  }
  for (ChangeBundle& each : bundles) {
    each.pattern = patternOf(each.modules);
  }
  return bundles;
}

std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after) {
  std::vector<std::string> notes = mergedDifference(before, after).notes;
  if (before.world_size != after.world_size) {
    notes.push_back(
        "the runs have " + worldText(before.world_size) + " and " + worldText(after.world_size) +
        " ranks: this alone may change the payload per rank");
  }
  std::unordered_map<std::string, const JobModule*> roots;
  for (const JobModule& module : before.modules) {
    if (module.depth == 1) {
      roots.emplace(module.name, &module);
    }
  }
  for (const JobModule& module : after.modules) {
    const auto root = roots.find(module.name);
    if (module.depth != 1 || root == roots.end()) {
      continue;
    }
    const double calls_before = callsOf(*root->second, before);
    const double calls_after = callsOf(module, after);
    if (calls_before != calls_after) {
      notes.push_back(
          "each rank called " + module.name + " " + plain(calls_before) + " times before and " + plain(calls_after) +
          " times after: numbers are per run, and the runs differ in length");
    }
  }
  return notes;
}

} // namespace commtap
