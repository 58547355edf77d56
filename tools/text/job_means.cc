// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_means.h"

#include <fmt/format.h>

#include "report/job/step_count.h"
#include "tools/text/text.h"

namespace commtap {

Means::Means(const JobReport& job) : steps_(trainingStepCount(job)), ranks_(rankCount(job)) {}

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
                   "Per rank and step: all but set-up, divided by {} and {}", ranks, counted(means.steps(), "step"));
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
