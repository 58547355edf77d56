// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/steps_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/model/amounts.h"
#include "tools/text/step_spread.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using Sum = StepSums::Sum;

void addStep(const Step& step, Sum& sum) {
  sum.forward_passes += step.forward_passes;
  sum.backward_passes += step.backward_passes;
  const StepAmount all = sumOf(step);
  sum.count += all.count;
  sum.bytes += all.bytes;
  sum.blocked_ns += all.blocked_ns;
  if (step.ended_at_ns) {
    const uint64_t duration_ns = *step.ended_at_ns - step.started_at_ns;
    sum.duration_ns += duration_ns;
    const auto milliseconds = static_cast<double>(duration_ns) / 1e6;
    sum.longest_ms = std::max(sum.longest_ms, milliseconds / static_cast<double>(std::max<uint64_t>(step.steps, 1)));
  } else {
    sum.runs = true;
  }
}

/// Returns the blocked share of the average rank's time.
std::string shareText(const Sum& sum) {
  return sum.runs || sum.duration_ns == 0
             ? ""
             : fmt::format(
                   "{:.1f} %", 100.0 * static_cast<double>(sum.blocked_ns) / static_cast<double>(sum.duration_ns));
}

std::string spreadText(const std::map<StepSums::Key, Sum>& sums) {
  std::vector<StepTime> times;
  for (const auto& [key, sum] : sums) {
    if (!sum.runs) {
      times.push_back({key.first, key.second, sum.longest_ms});
    }
  }
  return stepSpreadText(std::move(times));
}

} // namespace

void StepSums::add(const Report& report) {
  is_timed_ = is_timed_ || report.job.timing.every == 1;
  for (const Step& step : report.steps) {
    addStep(step, sums_[{step.first_step, step.steps}]);
  }
}

std::string stepsText(const StepSums& all, const Color& color) {
  std::vector<TextColumn> columns = {
      {"STEP", Align::kRight},
      {"MS PER STEP", Align::kRight},
      {"FORWARDS", Align::kRight},
      {"BACKWARDS", Align::kRight},
      {"COUNT", Align::kRight},
      {"PAYLOAD", Align::kRight}};
  if (all.isTimed()) {
    columns.push_back({"BLOCKED", Align::kRight});
  }
  Table table(std::move(columns));
  for (const auto& [key, sum] : all.sums()) {
    const auto& [first, steps] = key;
    table.add(
        {stepRange(first, steps),
         sum.runs ? "" : fmt::format("{:.1f}", sum.longest_ms),
         std::to_string(sum.forward_passes),
         std::to_string(sum.backward_passes),
         std::to_string(sum.count),
         humanBytes(static_cast<double>(sum.bytes)),
         all.isTimed() ? shareText(sum) : ""});
  }
  return color.bold("By step") + "\n" + table.text(color) + spreadText(all.sums());
}

} // namespace commtap
