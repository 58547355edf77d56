// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_diff.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "report/compare/merged_rows.h"
#include "report/job/merged_row.h"
#include "report/job/rank_union.h"
#include "report/job/step_count.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// The sums of a cell's rows and the ranks that have them.
struct CellSum {
  uint64_t count = 0;
  uint64_t bytes = 0;
  RankUnion ranks;
};

PerRank perRank(uint64_t count, uint64_t bytes, uint64_t ranks) {
  const auto divisor = static_cast<double>(std::max<uint64_t>(ranks, 1));
  return {ranks, static_cast<double>(count) / divisor, static_cast<double>(bytes) / divisor};
}

/// Returns the number of ranks of a job. A process without a rank is one, as in the sums.
uint64_t ranksOf(const JobReport& job) {
  const auto unranked = std::count_if(
      job.processes.begin(), job.processes.end(), [](const JobProcess& process) { return !process.rank; });
  return std::max<uint64_t>(countOf(job.ranks) + static_cast<uint64_t>(unranked), 1);
}

std::map<std::string, PerRank> divided(const std::map<std::string, Amount>& sums, const JobReport& job) {
  std::map<std::string, PerRank> result;
  for (const auto& [name, amount] : sums) {
    result[name] = perRank(amount.count, amount.bytes, ranksOf(job));
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
  const auto other_ranks = static_cast<double>(countOf(change.gained) + countOf(change.lost));
  return within(change.countDelta(), change.before.count, tolerance.count) &&
         within(change.bytesDelta(), change.before.bytes, tolerance.bytes) &&
         within(other_ranks, static_cast<double>(change.before.ranks), tolerance.ranks);
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
void addTo(CellSum& sum, const JobReport& job, const JobCollective& row, uint64_t count, uint64_t bytes) {
  addSaturating(sum.count, count);
  addSaturating(sum.bytes, bytes);
  sum.ranks.add(job.rank_sets[row.rank_set], row.amount.ranks);
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
        addTo(sums[key], job, row, *member.count, member.bytes);
      }
    } else {
      addTo(sums[std::move(key)], job, row, row.amount.count.sum, row.amount.bytes.sum);
    }
  }
  Cells cells;
  for (const auto& [key, sum] : sums) {
    PerRank& cell = cells[key] = perRank(sum.count, sum.bytes, sum.ranks.count());
    cell.on = sum.ranks.ranks();
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

Cells totalsByModule(const Cells& cells, const std::set<std::string>& modules) {
  std::map<CellKey, RankUnion> ranks;
  Cells sums; // over ranks, then per rank
  for (const auto& [key, number] : cells) {
    if (modules.count(key.module) > 0) {
      const CellKey total{key.module, Phase::kOther, Kind::kOther, "", key.label, key.setup};
      ranks[total].add(number.on, number.ranks);
      sums[total].count += number.count * static_cast<double>(number.ranks);
      sums[total].bytes += number.bytes * static_cast<double>(number.ranks);
    }
  }
  for (auto& [key, sum] : sums) {
    sum.ranks = ranks[key].count();
    sum.on = ranks[key].ranks();
    sum.count /= static_cast<double>(std::max<uint64_t>(sum.ranks, 1));
    sum.bytes /= static_cast<double>(std::max<uint64_t>(sum.ranks, 1));
  }
  return sums;
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

std::optional<RankRanges> comparedRanks(const JobReport& before, const JobReport& after) {
  return before.world_size == after.world_size ? std::optional(intersectionOf(before.ranks, after.ranks))
                                               : std::nullopt;
}

std::vector<CellChange> changesBetween(
    const Cells& before,
    const Cells& after,
    const std::optional<RankRanges>& compared,
    const std::vector<Tolerance>& rules) {
  std::map<CellKey, Change> all;
  for (const auto& [key, number] : before) {
    all[key].before = number;
  }
  for (const auto& [key, number] : after) {
    all[key].after = number;
  }
  std::vector<CellChange> changes;
  for (auto& [key, change] : all) {
    if (compared && change.before.ranks > 0 && change.after.ranks > 0) {
      change.gained = intersectionOf(differenceOf(change.after.on, change.before.on), *compared);
      change.lost = intersectionOf(differenceOf(change.before.on, change.after.on), *compared);
    }
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

std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after) {
  std::vector<std::string> notes = mergedDifference(before, after).notes;
  if (before.world_size != after.world_size) {
    notes.push_back(
        "the runs have " + worldText(before.world_size) + " and " + worldText(after.world_size) +
        " ranks: this alone may change the payload per rank, and which ranks have a row is not compared");
  } else if (before.ranks != after.ranks) {
    notes.push_back(
        "not the same ranks have a report: " + rankText(before.ranks) + " before and " + rankText(after.ranks) +
        " after; which ranks have a row is compared for those of both");
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
