// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/step_spread.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr uint64_t kWarmUpSteps = 2;
constexpr uint64_t kFewestSteps = 5;

/// Returns the time that `share` of all steps did not exceed. `times` is sorted, the shortest first.
double quantile(const std::vector<StepTime>& times, uint64_t steps, double share) {
  uint64_t seen = 0;
  for (const StepTime& time : times) {
    seen += time.steps;
    if (static_cast<double>(seen) >= share * static_cast<double>(steps)) {
      return time.ms;
    }
  }
  return times.back().ms;
}

} // namespace

std::string stepSpreadText(std::vector<StepTime> times) {
  std::erase_if(times, [](const StepTime& time) { return time.first_step < kWarmUpSteps; });
  uint64_t steps = 0;
  for (const StepTime& time : times) {
    steps += time.steps;
  }
  if (steps < kFewestSteps || times.size() < 2) {
    return {};
  }
  std::sort(times.begin(), times.end(), [](const StepTime& a, const StepTime& b) { return a.ms < b.ms; });
  const StepTime& slowest = times.back();
  return fmt::format(
      "step times, over {} steps after the first {}: median {:.1f} ms, {:.1f} to {:.1f} ms for four of five, slowest "
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
