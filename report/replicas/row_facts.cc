// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/job_facts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "report/model/module_tree.h"

namespace commtap {

std::string loneReductions(const JobReport& job) {
  std::string group;
  if (job.world_size.value_or(0) < 2) {
    return group;
  }
  for (const JobCollective& row : job.collectives) {
    const bool is_alone = job.groups[row.group].size == 1;
    if (!is_alone && !row.setup && !isMetric(row)) {
      return "";
    }
    if (is_alone && isReductionForAll(row.kind) && row.phase == Phase::kBackward && group.empty()) {
      group = job.groups[row.group].name;
    }
  }
  return group;
}

namespace {

bool isFloat(const std::string& dtype) {
  return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

bool goesOut(const JobReport& job, const JobCollective& row) {
  return row.phase == Phase::kForward && !row.setup && row.module != kGlobalName &&
         (row.kind == Kind::kAllGather || row.kind == Kind::kSend) && isFloat(row.dtype) && !isMetric(row) &&
         job.groups[row.group].size > 1;
}

/// The modules for which a group communicates after the forward.
struct WaysBack {
  std::set<std::string> modules; ///< of rows of backward passes
  bool is_everywhere = false;    ///< what is not of a module may be of each

  void add(const JobCollective& row) {
    if (row.phase == Phase::kBackward && row.module != kGlobalName) {
      modules.insert(row.module);
    } else if (
        row.phase == Phase::kBackward ||
        (row.phase == Phase::kOther && isReductionForAll(row.kind) && !isMetric(row))) {
      is_everywhere = true;
    }
  }

  /// Returns whether there is a row at the module, below it or above it.
  bool has(std::string module) const {
    const auto below = modules.lower_bound(module + '.');
    if (is_everywhere || (below != modules.end() && isBelow(*below, module))) {
      return true;
    }
    while (!module.empty() && !modules.contains(module)) {
      const size_t end = module.rfind('.');
      module.resize(end == std::string::npos ? 0 : end);
    }
    return !module.empty();
  }
};

} // namespace

std::vector<OneWayModules> oneWayModules(const JobReport& job) {
  std::map<size_t, WaysBack> back;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      back[row.group].add(row);
    }
  }
  std::map<size_t, std::set<std::string>> by_group;
  for (const JobCollective& row : job.collectives) {
    if (goesOut(job, row) && !back[row.group].has(row.module)) {
      by_group[row.group].insert(row.module);
    }
  }
  std::vector<OneWayModules> found;
  for (const auto& [group, modules] : by_group) {
    found.push_back({job.groups[group].name, job.groups[group].members, {modules.begin(), modules.end()}});
  }
  return found;
}

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
  const JobStep& last = job.steps.back(); // it may be cut, unless each of its steps has come to an update
  const bool is_cut = last.training_steps.value_or(0) < last.steps;
  const std::span<const JobStep> complete = std::span(job.steps).first(job.steps.size() - (is_cut ? 1 : 0));
  for (const Reduction& reduction : backwardReductions(job)) {
    if (std::optional<StoppedReductions> stop = stopOf(job, complete, reduction)) {
      stops.push_back(std::move(*stop));
    }
  }
  return stops;
}

} // namespace commtap
