// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_steps.h"

#include <algorithm>

#include "report/merge/rank_slots.h"
#include "report/model/saturating.h"

namespace commtap {

void JobSteps::add(std::span<const Step> steps, std::span<const uint32_t> groups) {
  const std::vector<StepPlace> places = placesOf(steps);
  size_t nth = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    Coming& coming = coming_[places[i]];
    const bool is_outside = places[i].second == 0;
    if (step.ended_at_ns && *step.ended_at_ns >= step.started_at_ns) {
      const uint64_t duration_ns = *step.ended_at_ns - step.started_at_ns;
      const uint64_t before_ns = coming.duration_ns.value_or(0);
      coming.duration_ns = is_outside ? before_ns + duration_ns : std::max(before_ns, duration_ns);
    }
    addSaturating(coming.steps, is_outside ? step.steps : 0);
    coming.training_steps = std::max(coming.training_steps, step.training_steps.value_or(0));
    addSaturating(coming.forward_passes, step.forward_passes);
    addSaturating(coming.backward_passes, step.backward_passes);
    for (const StepAmount& amount : step.collectives) {
      ComingAmount& sum = coming.amounts[{amount.kind, groups[nth++]}];
      addSaturating(sum.count, amount.count);
      addSaturating(sum.bytes, amount.bytes);
      addSaturating(sum.running_ns, amount.running_ns);
      addSaturating(sum.exposed_ns, amount.exposed_ns);
    }
  }
}

void JobSteps::endRank(std::optional<int64_t> rank) {
  for (const auto& [steps, coming] : coming_) {
    Row& row = rows_[steps];
    ++row.ranks;
    row.forward_passes = std::max(row.forward_passes, coming.forward_passes);
    row.backward_passes = std::max(row.backward_passes, coming.backward_passes);
    row.training_steps = std::max(row.training_steps, coming.training_steps);
    row.steps = std::max(row.steps, std::max(steps.second, coming.steps));
    if (coming.duration_ns) {
      addToSpread(row.duration_ns, *coming.duration_ns, rank, row.timed_ranks == 0);
      ++row.timed_ranks;
    }
    for (const auto& [place, amount] : coming.amounts) {
      JobStepAmount& sum = row.amounts[place];
      const bool is_first = sum.ranks++ == 0;
      addToSpread(sum.count, amount.count, rank, is_first);
      addToSpread(sum.bytes, amount.bytes, rank, is_first);
      addToSpread(sum.running_ns, amount.running_ns, rank, is_first);
      addToSpread(sum.exposed_ns, amount.exposed_ns, rank, is_first);
    }
  }
  coming_.clear();
}

void JobSteps::take(JobReport& job) const {
  const bool trains =
      std::any_of(rows_.begin(), rows_.end(), [](const auto& row) { return row.second.training_steps; });
  for (const auto& [key, row] : rows_) {
    JobStep step{key.first, row.steps, row.ranks, row.timed_ranks, row.duration_ns, {}};
    for (const auto& [place, amount] : row.amounts) {
      step.collectives.push_back(amount);
      step.collectives.back().kind = place.first;
      step.collectives.back().group = place.second;
    }
    step.forward_passes = row.forward_passes;
    step.backward_passes = row.backward_passes;
    step.training_steps = row.training_steps > 0 ? std::optional(row.training_steps) : std::nullopt;
    (trains && !step.training_steps ? job.outside_steps : job.steps).push_back(std::move(step));
  }
}

} // namespace commtap
