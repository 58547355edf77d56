// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/plan_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>

namespace commtap {
namespace {

/// How far the steps after the first are stretched.
struct Stretch {
  double factor = 1;

  template <typename T>
  T of(T first, T all) const {
    const double number = static_cast<double>(first) + (static_cast<double>(all) - static_cast<double>(first)) * factor;
    if constexpr (std::is_floating_point_v<T>) {
      return number;
    } else {
      return static_cast<T>(std::max(number, 0.0) + 0.5); // rounded: a mean of unlike steps may be no whole number
    }
  }
  Amount of(const Amount& first, const Amount& all) const {
    return {of(first.count, all.count), of(first.bytes, all.bytes), of(first.bus_bytes, all.bus_bytes)};
  }
  template <typename T>
  void apply(const Spread<T>& first, Spread<T>& all) const {
    all.sum = of(first.sum, all.sum);
    all.min = of(first.min, all.min);
    all.max = of(first.max, all.max);
  }
  void apply(const RankedAmount& first, RankedAmount& all) const {
    apply(first.count, all.count);
    apply(first.bytes, all.bytes);
    apply(first.bus_bytes, all.bus_bytes);
  }
};

auto keyOf(const JobCollective& row, const JobReport& job) {
  return std::tuple(
      row.module,
      row.issued_in,
      row.phase,
      row.op,
      row.kind,
      job.groups[row.group].name,
      row.dtype,
      row.reduce_op,
      row.async_op,
      row.label);
}

void stretchRows(const JobReport& first, const Stretch& stretch, JobReport& plan) {
  std::map<decltype(keyOf(first.collectives[0], first)), const JobCollective*> rows;
  for (const JobCollective& row : first.collectives) {
    rows.emplace(keyOf(row, first), &row);
  }
  const RankedAmount none;
  for (JobCollective& row : plan.collectives) {
    const auto found = rows.find(keyOf(row, plan));
    stretch.apply(found == rows.end() ? none : found->second->amount, row.amount);
  }
}

void stretchTotals(const JobReport& first, const Stretch& stretch, JobReport& plan) {
  const RankedAmount none;
  for (JobTotal& total : plan.totals) {
    const auto found = std::find_if(first.totals.begin(), first.totals.end(), [&total](const JobTotal& other) {
      return other.key.phase == total.key.phase && other.key.kind == total.key.kind;
    });
    stretch.apply(found == first.totals.end() ? none : found->amount, total.amount);
  }
}

void stretchGroups(const JobReport& first, const Stretch& stretch, JobReport& plan) {
  for (JobGroup& group : plan.groups) {
    const auto found = std::find_if(first.groups.begin(), first.groups.end(), [&group](const JobGroup& other) {
      return other.name == group.name;
    });
    for (auto& [key, amount] : group.totals) {
      const bool is_known = found != first.groups.end() && found->totals.count(key) > 0;
      amount = stretch.of(is_known ? found->totals.at(key) : Amount(), amount);
    }
  }
}

} // namespace

uint64_t stepsOf(const JobReport& job) {
  uint64_t steps = 0;
  for (const JobStep& step : job.steps) {
    if (!step.collectives.empty()) {
      steps = std::max(steps, step.first_step + step.steps);
    }
  }
  return steps;
}

JobReport planOfSteps(const JobReport& plan, const JobReport& first, uint64_t steps) {
  const uint64_t planned = stepsOf(plan);
  JobReport job = plan;
  if (planned >= 2 && steps >= 1 && steps != planned) {
    const Stretch stretch{static_cast<double>(steps - 1) / static_cast<double>(planned - 1)};
    stretchRows(first, stretch, job);
    stretchTotals(first, stretch, job);
    stretchGroups(first, stretch, job);
  }
  return job;
}

} // namespace commtap
