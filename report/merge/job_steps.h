// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "report/job/job_report.h"
#include "report/job/step_count.h"

namespace commtap {

/// Builds the step rows of a job. Ranks are added one after the other. Ranks that ran equally many steps have added up
/// the same runs of steps. A run of steps that only some ranks have is a row of those ranks. What a rank that trains
/// does outside of its steps is a row of its own before each of them.
class JobSteps {
 public:
  /// Adds the steps of a process. `groups`: the job's group of each amount, in the order of `steps`.
  void add(std::span<const Step> steps, std::span<const uint32_t> groups);
  void endRank(std::optional<int64_t> rank);

  /// Sets the steps of the job, and what is outside of them, in order; `group` is as passed to add().
  void take(JobReport& job) const;

 private:
  using Place = std::pair<Kind, uint32_t>; ///< kind, group
  struct Row {
    uint64_t ranks = 0;
    uint64_t timed_ranks = 0;
    Spread<uint64_t> duration_ns;
    std::map<Place, JobStepAmount> amounts;
    uint64_t forward_passes = 0; ///< the most of any rank
    uint64_t backward_passes = 0;
    uint64_t training_steps = 0;
    uint64_t steps = 0;
  };
  struct ComingAmount {
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t running_ns = 0;
    uint64_t exposed_ns = 0;
  };
  /// The current rank's amounts in a run of steps.
  struct Coming {
    std::optional<uint64_t> duration_ns; ///< longest of its processes; the sum outside of steps
    std::map<Place, ComingAmount> amounts;
    uint64_t forward_passes = 0;
    uint64_t backward_passes = 0;
    uint64_t training_steps = 0;
    uint64_t steps = 0;
  };

  std::map<StepPlace, Row> rows_;
  std::map<StepPlace, Coming> coming_;
};

} // namespace commtap
