// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/stopped_reductions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace commtap {
namespace {

constexpr uint64_t kFewestSteps = 3; // steps with reductions, and without

using Reduction = std::pair<Kind, size_t>; ///< and the place of a group

/// Returns the kinds and groups that reduce in backward passes and nowhere else.
std::vector<Reduction> backwardReductions(const JobReport& job) {
  std::map<Reduction, bool> is_backward;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup && isReductionForAll(row.kind)) {
      const bool is_of_backward = row.phase == Phase::kBackward;
      const auto [known, is_new] = is_backward.emplace(Reduction(row.kind, row.group), is_of_backward);
      known->second &= is_of_backward;
    }
  }
  std::vector<Reduction> found;
  for (const auto& [reduction, holds] : is_backward) {
    if (holds) {
      found.push_back(reduction);
    }
  }
  return found;
}

/// Returns whether each step of all ranks is in one row.
bool areComplete(const std::vector<JobStep>& steps) {
  uint64_t next = steps.empty() ? 0 : steps.front().first_step;
  return std::all_of(steps.begin(), steps.end(), [&](const JobStep& step) {
    const bool follows = step.first_step == next && step.ranks == steps.front().ranks;
    next = step.first_step + step.steps;
    return follows;
  });
}

bool has(const JobStep& step, const Reduction& reduction) {
  return std::any_of(step.collectives.begin(), step.collectives.end(), [&](const JobStepAmount& amount) {
    return amount.kind == reduction.first && amount.group == reduction.second;
  });
}

uint64_t stepCount(std::span<const JobStep> steps) {
  uint64_t count = 0;
  for (const JobStep& step : steps) {
    count += step.steps;
  }
  return count;
}

std::optional<StoppedReductions>
stopOf(const JobReport& job, std::span<const JobStep> complete, const Reduction& reduction) {
  const auto first_without =
      std::find_if(complete.begin(), complete.end(), [&](const JobStep& step) { return !has(step, reduction); });
  const auto with = complete.first(static_cast<size_t>(first_without - complete.begin()));
  const auto without = complete.subspan(with.size());
  const bool goes_on = std::any_of(
      job.steps.begin() + static_cast<std::ptrdiff_t>(with.size()), job.steps.end(), [&](const JobStep& step) {
        return has(step, reduction);
      });
  if (goes_on || stepCount(with) < kFewestSteps || stepCount(without) < kFewestSteps) {
    return std::nullopt;
  }
  const JobGroup& group = job.groups[reduction.second];
  StoppedReductions stop;
  stop.kind = reduction.first;
  stop.group = group.name;
  stop.members = group.members;
  stop.last_step = with.back().first_step + with.back().steps;
  stop.end_step = without.back().first_step + without.back().steps;
  return stop;
}

} // namespace

std::vector<StoppedReductions> stoppedReductions(const JobReport& job) {
  std::vector<StoppedReductions> stops;
  if (job.steps.size() < 2 || !areComplete(job.steps)) {
    return stops;
  }
  const std::span<const JobStep> complete = std::span(job.steps).first(job.steps.size() - 1); // the last one may be cut
  for (const Reduction& reduction : backwardReductions(job)) {
    if (std::optional<StoppedReductions> stop = stopOf(job, complete, reduction)) {
      stops.push_back(std::move(*stop));
    }
  }
  return stops;
}

} // namespace commtap
