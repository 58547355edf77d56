// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "report/compare/merged_rows.h"
#include "report/job/job_report.h"
#include "report/job/job_summary.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// The sums of a cell's rows and the ranks that have them.
struct CellSum {
  uint64_t count = 0;
  uint64_t bytes = 0;
  RankUnion ranks;
  std::map<int64_t, uint64_t> changes; ///< by how much the calls of a rank exceed those of the one before, modulo 2^64
  bool uneven = false;                 ///< in a row, ranks differ

  /// Adds calls that `on`, as many as `rank_count`, have made together: each as many as the others if not `are_uneven`.
  void add(uint64_t calls, uint64_t size, const RankRanges& on, uint64_t rank_count, bool are_uneven) {
    addSaturating(count, calls);
    addSaturating(bytes, size);
    ranks.add(on, rank_count);
    uneven = uneven || are_uneven;
    const uint64_t each = calls / std::max<uint64_t>(rank_count, 1);
    for (const auto& [first, last] : on) {
      changes[first] += each;
      changes[last + 1] -= each;
    }
  }

  /// Returns whether the mean over the ranks is no rank's number.
  bool isUneven() const {
    uint64_t calls = 0;
    std::set<uint64_t> numbers;
    for (const auto& [rank, change] : changes) {
      calls += change;
      numbers.insert(calls);
    }
    return uneven || numbers.size() - numbers.count(0) > 1;
  }
};

/// Divides sums by ranks, and by steps if there are any: once, so that equal quotients are exactly equal.
PerRank perRank(uint64_t count, uint64_t bytes, uint64_t ranks, uint64_t steps = 0) {
  const auto divisor =
      static_cast<double>(std::max<uint64_t>(ranks, 1)) * static_cast<double>(std::max<uint64_t>(steps, 1));
  return {ranks, static_cast<double>(count) / divisor, static_cast<double>(bytes) / divisor, {}, count, bytes};
}

std::map<std::string, PerRank>
divided(const std::map<std::string, Amount>& sums, const JobReport& job, uint64_t steps = 0) {
  std::map<std::string, PerRank> result;
  for (const auto& [name, amount] : sums) {
    result[name] = perRank(amount.count, amount.bytes, rankCount(job), steps);
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

/// `steps`: by how many a plain number of calls or bytes is divided.
bool isTolerated(const Change& change, const CellTolerance& tolerance, uint64_t steps) {
  const auto within = [](double delta, double before, const Allowance& allowance, uint64_t parts) {
    const double allowed = allowance.of(before) / static_cast<double>(allowance.is_percent ? 1 : parts);
    return std::abs(delta) <= allowed + kMeanRounding * before;
  };
  const auto other_ranks = static_cast<double>(countOf(change.gained) + countOf(change.lost));
  return within(change.countDelta(), change.before.count, tolerance.count, steps) &&
         within(change.bytesDelta(), change.before.bytes, tolerance.bytes, steps) &&
         within(other_ranks, static_cast<double>(change.before.ranks), tolerance.ranks, 1);
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

/// Returns whether all ranks that have a module called it equally often.
bool isEven(const JobModule& module) {
  return std::all_of(
      module.calls.begin(), module.calls.end(), [](const auto& spread) { return spread.min == spread.max; });
}

std::string plain(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

/// Returns whether a module was called equally often per step, or per run if `steps` are not known.
bool isInProportion(double before, double after, ComparedSteps steps) {
  return isNear(
      before * static_cast<double>(steps.arePerStep() ? steps.after : 1),
      after * static_cast<double>(steps.arePerStep() ? steps.before : 1));
}

/// Returns the note on a root module that was called more or less often.
std::string lengthNote(const std::string& module, double before, double after, ComparedSteps steps, bool even) {
  std::string note = (even ? "each of its ranks called " : "ranks differ, and on average called ") + module + " " +
                     plain(before) + " times before and " + plain(after) + " times after";
  return steps.arePerStep()
             ? note + ", in " + std::to_string(steps.before) + " and " + std::to_string(steps.after) + " steps"
             : note + ": numbers are per run, and the runs differ in length";
}

std::string worldText(const std::optional<int64_t>& world_size) {
  return world_size ? std::to_string(*world_size) : "an unknown number of";
}

/// Rules by which cellsOf() makes cells of rows.
struct CellRules {
  bool by_label = false;
  bool by_setup = false;
  bool by_member = false; ///< the calls that a compiler merged are those of the members
};

/// Adds a row's calls, or some of them, to the cell of a key.
void addTo(CellSum& sum, const JobReport& job, const JobCollective& row, uint64_t count, uint64_t bytes) {
  const bool are_uneven = row.amount.count.min != row.amount.count.max;
  sum.add(count, bytes, job.rank_sets[row.rank_set], row.amount.ranks, are_uneven);
}

Cells cellsOf(const JobReport& job, CellRules rules, uint64_t steps = 0) {
  std::map<CellKey, CellSum> sums;
  for (const JobCollective& row : job.collectives) {
    CellKey key{
        row.module,
        row.phase,
        row.kind,
        job.groups[row.group].name,
        rules.by_label ? row.label : "",
        rules.by_setup && row.setup};
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
    PerRank& cell = cells[key] = perRank(sum.count, sum.bytes, sum.ranks.count(), key.setup ? 0 : steps);
    cell.on = sum.ranks.ranks();
    cell.of = rankCount(job);
    cell.is_uneven = sum.isUneven();
  }
  return cells;
}

} // namespace

bool isNear(double a, double b) {
  return std::abs(a - b) <= kMeanRounding * std::max(std::abs(a), std::abs(b));
}

Cells cellsOf(const JobReport& job) {
  return cellsOf(job, CellRules());
}

Cells cellsBySetup(const JobReport& job, uint64_t steps) {
  return cellsOf(job, CellRules{.by_setup = true}, steps);
}

/// The step has no more of a cell than any other step, and no more of all cells of a kind than of the kind.
void leaveOut(const JobStep& unfinished, const CellKey& key, const PerRank& other, PerRank& cell) {
  const auto steps = static_cast<double>(std::max<uint64_t>(unfinished.first_step, 1));
  const auto leave = [&](Spread<uint64_t> JobStepAmount::*amount, double least, double& number, uint64_t& sum) {
    double most = 0;
    for (const JobStepAmount& each : unfinished.collectives) {
      most += each.kind == key.kind ? static_cast<double>((each.*amount).max) : 0;
    }
    const double without = std::max(number - std::min(most / steps, number / (steps + 1)), least);
    if (!key.setup && without < number) {
      sum = static_cast<uint64_t>(std::llround(static_cast<double>(sum) * without / number));
      number = without;
    }
  };
  leave(&JobStepAmount::count, other.count, cell.count, cell.count_sum);
  leave(&JobStepAmount::bytes, other.bytes, cell.bytes, cell.bytes_sum);
}

std::pair<Cells, Cells> comparableCells(const JobReport& before, const JobReport& after, ComparedSteps steps) {
  constexpr CellRules rules{.by_label = true, .by_setup = true, .by_member = true};
  return {cellsOf(before, rules, steps.before), cellsOf(after, rules, steps.after)};
}

Cells totalsByModule(const Cells& cells, const std::set<std::string>& modules, uint64_t steps) {
  std::map<CellKey, CellSum> sums;
  for (const auto& [key, number] : cells) {
    if (modules.count(key.module) > 0) {
      sums[{key.module, Phase::kOther, Kind::kOther, "", key.label, key.setup}].add(
          number.count_sum, number.bytes_sum, number.on, number.ranks, number.is_uneven);
    }
  }
  Cells totals;
  for (const auto& [key, sum] : sums) {
    PerRank& total = totals[key] = perRank(sum.count, sum.bytes, sum.ranks.count(), key.setup ? 0 : steps);
    total.on = sum.ranks.ranks();
    total.is_uneven = sum.isUneven();
  }
  return totals;
}

PerRank totalOf(const Cells& cells, const JobReport& job, uint64_t steps, bool (*is_part)(const CellKey&)) {
  CellSum sum;
  for (const auto& [key, number] : cells) {
    if (is_part(key)) {
      addSaturating(sum.count, number.count_sum);
      addSaturating(sum.bytes, number.bytes_sum);
    }
  }
  return perRank(sum.count, sum.bytes, rankCount(job), steps);
}

std::map<std::string, PerRank>
totalsBy(const Cells& cells, const JobReport& job, uint64_t steps, std::string (*nameOf)(const CellKey&)) {
  std::map<std::string, Amount> sums;
  for (const auto& [key, number] : cells) {
    if (!key.setup) {
      sums[nameOf(key)] += {number.count_sum, number.bytes_sum, 0};
    }
  }
  return divided(sums, job, steps);
}

std::map<std::string, PerRank> totalsByGroup(const Cells& cells, const JobReport& job, uint64_t steps) {
  return totalsBy(cells, job, steps, [](const CellKey& key) { return key.group; });
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
    const std::vector<Tolerance>& rules,
    ComparedSteps steps) {
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
    if (!isTolerated(change, toleranceFor(rules, key), key.setup ? 1 : steps.most())) {
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

std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after, ComparedSteps steps) {
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
    if (!isInProportion(calls_before, calls_after, steps)) {
      const bool even = isEven(*root->second) && isEven(module);
      notes.push_back(lengthNote(module.name, calls_before, calls_after, steps, even));
    }
  }
  return notes;
}

} // namespace commtap
