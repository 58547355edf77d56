// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/plan_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "report/job/job_columns.h"
#include "report/job/job_report.h"
#include "report/json/columns.h"

namespace commtap {
namespace {

/// Adds the last step as often as steps are missing; takes it away for a negative number.
struct Stretch {
  int64_t steps = 0;

  template <typename T>
  T of(T before, T all) const {
    const T step = all > before ? all - before : T{};
    return steps >= 0 ? all + step * static_cast<T>(steps) : all - step;
  }
  Amount of(const Amount& before, const Amount& all) const {
    return {of(before.count, all.count), of(before.bytes, all.bytes), of(before.bus_bytes, all.bus_bytes)};
  }
  template <typename T>
  void apply(const Spread<T>& before, Spread<T>& all) const {
    all.sum = of(before.sum, all.sum);
    all.min = of(before.min, all.min);
    all.max = of(before.max, all.max);
  }
  void apply(const RankedAmount& before, RankedAmount& all) const {
    apply(before.count, all.count);
    apply(before.bytes, all.bytes);
    apply(before.bus_bytes, all.bus_bytes);
  }
  void apply(const Splits& before, Splits& all) const {
    const auto sumOf = [](const Splits& splits) { return splits.imbalance.mean * static_cast<double>(splits.calls); };
    const double imbalances = of(sumOf(before), sumOf(all));
    all.calls = of(before.calls, all.calls);
    if (all.calls == 0) {
      all = {};
      return;
    }
    all.imbalance.mean = imbalances / static_cast<double>(all.calls);
    all.zero_peers = of(before.zero_peers, all.zero_peers);
    all.received_more = of(before.received_more, all.received_more);
    for (auto& [rank, bytes] : all.peers) {
      const auto found = before.peers.find(rank);
      bytes = of(found == before.peers.end() ? 0 : found->second, bytes);
    }
    all.findExtremes();
  }
};

/// Returns the key of a row, with the group's name for its number: two jobs number their groups differently.
auto keyOf(const JobCollective& row, const JobReport& job) {
  return keyParts<JobCollective>([&row, &job ](const auto& column) -> const auto& {
    using Format = typename std::remove_cvref_t<decltype(column)>::Format;
    if constexpr (std::is_same_v<Format, GroupRef>) {
      return job.groups[row.*column.member].name;
    } else {
      return row.*column.member;
    }
  });
}

void stretchRows(const JobReport& before, const Stretch& stretch, JobReport& plan) {
  std::map<decltype(keyOf(JobCollective(), JobReport())), const JobCollective*> rows;
  for (const JobCollective& row : before.collectives) {
    rows.emplace(keyOf(row, before), &row);
  }
  const JobCollective none;
  for (JobCollective& row : plan.collectives) {
    const auto found = rows.find(keyOf(row, plan));
    const JobCollective& row_before = found == rows.end() ? none : *found->second;
    stretch.apply(row_before.amount, row.amount);
    stretch.apply(row_before.splits, row.splits);
    row.uneven_bytes = stretch.of(row_before.uneven_bytes, row.uneven_bytes);
  }
}

void stretchTotals(const JobReport& before, const Stretch& stretch, JobReport& plan) {
  const RankedAmount none;
  for (JobTotal& total : plan.totals) {
    const auto found = std::find_if(before.totals.begin(), before.totals.end(), [&total](const JobTotal& other) {
      return other.key.phase == total.key.phase && other.key.kind == total.key.kind;
    });
    stretch.apply(found == before.totals.end() ? none : found->amount, total.amount);
  }
}

void stretchGroups(const JobReport& before, const Stretch& stretch, JobReport& plan) {
  for (JobGroup& group : plan.groups) {
    const auto found = std::find_if(before.groups.begin(), before.groups.end(), [&group](const JobGroup& other) {
      return other.name == group.name;
    });
    for (auto& [key, amount] : group.totals) {
      const bool is_known = found != before.groups.end() && found->totals.count(key) > 0;
      amount = stretch.of(is_known ? found->totals.at(key) : Amount(), amount);
    }
  }
}

/// Makes stepsOf() of the plan `steps`. The further steps are one row without amounts. They train if any planned one
/// does.
void stretchSteps(uint64_t steps, JobReport& plan) {
  const uint64_t planned = stepsOf(plan);
  std::erase_if(plan.steps, [last = std::min(steps, planned)](const JobStep& step) { return step.first_step >= last; });
  if (steps > planned) {
    const bool trains = std::any_of(
        plan.steps.begin(), plan.steps.end(), [](const JobStep& step) { return step.training_steps.has_value(); });
    JobStep further;
    further.first_step = planned;
    further.steps = steps - planned;
    further.ranks = further.timed_ranks = countOf(plan.ranks);
    further.training_steps = trains ? std::optional(further.steps) : std::nullopt;
    plan.steps.push_back(std::move(further));
  }
}

} // namespace

JobReport planOfSteps(const JobReport& plan, const JobReport& before, uint64_t steps) {
  const Stretch stretch{static_cast<int64_t>(steps) - static_cast<int64_t>(stepsOf(plan))};
  JobReport job = plan;
  stretchRows(before, stretch, job);
  stretchTotals(before, stretch, job);
  stretchGroups(before, stretch, job);
  stretchSteps(steps, job);
  return job;
}

} // namespace commtap
