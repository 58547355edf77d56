// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/step_spread.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/model/saturating.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr uint64_t kWarmUpSteps = 2;
constexpr uint64_t kFewestSteps = 5;

/// Steps with one known time.
struct StepTime {
  uint64_t first_step = 0;
  uint64_t steps = 1;
  double ms = 0; ///< per step, on the slowest rank
};

double msPerStep(const JobStep& step, double duration_ns) {
  return duration_ns / 1e6 / static_cast<double>(std::max<uint64_t>(step.steps, 1));
}

std::string withRank(double ms, const std::optional<int64_t>& rank) {
  return fmt::format("{:.1f}", ms) + (rank ? fmt::format(" ({})", *rank) : "");
}

/// Returns the steps that each of their ranks has completed, except the first ones.
std::vector<StepTime> timesOf(const std::vector<JobStep>& steps) {
  std::vector<StepTime> times;
  for (const JobStep& step : steps) {
    if (step.first_step >= kWarmUpSteps && step.timed_ranks > 0 && step.timed_ranks == step.ranks) {
      times.push_back({step.first_step, step.steps, msPerStep(step, static_cast<double>(step.duration_ns.max))});
    }
  }
  return times;
}

/// Returns the time that `share` of all steps did not exceed. `times` is sorted, the shortest first.
double quantile(const std::vector<StepTime>& times, uint64_t steps, double share) {
  uint64_t seen = 0;
  for (const StepTime& time : times) {
    addSaturating(seen, time.steps);
    if (static_cast<double>(seen) >= share * static_cast<double>(steps)) {
      return time.ms;
    }
  }
  return times.back().ms;
}

} // namespace

std::vector<std::string> stepTimeCells(const JobStep& step) {
  if (step.timed_ranks == 0) {
    return {"", "", ""};
  }
  const Spread<uint64_t>& duration = step.duration_ns;
  const double mean_ns = static_cast<double>(duration.sum) / static_cast<double>(step.timed_ranks);
  return {
      fmt::format("{:.1f}", msPerStep(step, mean_ns)),
      withRank(msPerStep(step, static_cast<double>(duration.min)), duration.min_rank),
      withRank(msPerStep(step, static_cast<double>(duration.max)), duration.max_rank)};
}

std::string stepSpreadText(const std::vector<JobStep>& all) {
  std::vector<StepTime> times = timesOf(all);
  uint64_t steps = 0;
  for (const StepTime& time : times) {
    addSaturating(steps, time.steps);
  }
  if (steps < kFewestSteps || times.size() < 2) {
    return {};
  }
  std::sort(times.begin(), times.end(), [](const StepTime& a, const StepTime& b) { return a.ms < b.ms; });
  const StepTime& slowest = times.back();
  return fmt::format(
      "step times of the slowest rank, over {} steps after the first {}: median {:.1f} ms, {:.1f} to {:.1f} ms for "
      "four of five, slowest "
      "{:.1f} ms (step {})\n",
      steps,
      kWarmUpSteps,
      quantile(times, steps, 0.5),
      quantile(times, steps, 0.1),
      quantile(times, steps, 0.9),
      slowest.ms,
      stepRange(slowest.first_step, slowest.steps));
}

} // namespace commtap
