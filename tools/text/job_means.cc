// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_means.h"

#include <fmt/format.h>

#include "report/job/step_count.h"
#include "tools/text/text.h"

namespace commtap {

namespace {

uint64_t callsIn(const JobStep& step) {
  uint64_t calls = 0;
  for (const JobStepAmount& amount : step.collectives) {
    calls += amount.count.sum;
  }
  return calls;
}

/// Returns whether more was communicated outside of the steps than the set-up, which comes before a first evaluation.
bool hasCallsOutside(const JobReport& job) {
  uint64_t calls = 0;
  for (const JobStep& step : job.outside_steps) {
    calls += callsIn(step);
  }
  uint64_t setup = 0;
  for (const JobCollective& row : job.collectives) {
    setup += row.setup ? row.amount.count.sum : 0;
  }
  return calls > setup;
}

} // namespace

Means::Means(const JobReport& job)
    : steps_(stepsOf(job)), ranks_(rankCount(job)), has_calls_outside_(hasCallsOutside(job)) {}

void Means::add(const JobCollective& row, Mean& mean) const {
  const auto divisor = static_cast<double>(ranks_) * static_cast<double>(row.setup || steps_ == 0 ? 1 : steps_);
  mean.calls += static_cast<double>(row.amount.count.sum) / divisor;
  mean.bytes += static_cast<double>(row.amount.bytes.sum) / divisor;
}

std::string callsText(double calls) {
  return fmt::format("{:.4g}", calls);
}

std::string unitText(const Means& means) {
  const std::string ranks = counted(means.ranks(), "rank");
  return means.steps() == 0
             ? fmt::format("Per rank: the mean of {}; the run has no training steps", ranks)
             : fmt::format(
                   "Per rank and step: all but set-up, divided by {} and {}{}",
                   ranks,
                   counted(means.steps(), "step"),
                   means.haveCallsOutside() ? "; among them calls outside of steps, as of an evaluation" : "");
}

std::string setupText(const JobReport& job, const Means& means) {
  Mean setup;
  for (const JobCollective& row : job.collectives) {
    if (row.setup) {
      means.add(row, setup);
    }
  }
  return setup.calls == 0 ? ""
                          : fmt::format(
                                "set-up, before the first forward: {} {} and {} per rank",
                                callsText(setup.calls),
                                setup.calls == 1 ? "call" : "calls",
                                humanBytes(setup.bytes));
}

} // namespace commtap
