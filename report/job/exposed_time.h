// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/amounts.h"

namespace commtap {

/// Divides the exposed times of a job by its ranks, its training steps, and the time that a step takes.
class ExposedUnit {
 public:
  explicit ExposedUnit(const JobReport& job);

  /// Returns a time over all ranks per rank and training step, in ns; per rank, of `setup` or without training steps.
  double perRank(uint64_t sum_ns, bool setup = false) const;
  /// Returns a time over all ranks as a part of the steps; nullopt if that is not known: no training step has
  /// completed, or the time is longer than the completed ones, as if a job hangs in its last step.
  std::optional<double> partOfStep(uint64_t sum_ns) const;

  /// Returns the number of training steps; 0 if the job has none.
  uint64_t steps() const {
    return steps_;
  }
  /// Returns how long a step takes: the mean of the completed training steps, 0 if there is none.
  double stepNs() const {
    return step_ns_;
  }
  /// Returns the first training step's part of the time of all completed ones, if it is more than twice the mean: its
  /// warm-up then says little of the others. Returns 0 if not, or if that is not known.
  double firstStepPart() const {
    return first_part_;
  }

 private:
  uint64_t ranks_;
  uint64_t steps_;
  double step_ns_ = 0;
  double first_part_ = 0;
};

/// Returns the exposed time of a row of `group_times` without set-up, in ns. `by_module`: all `module_times` of the
/// job.
uint64_t exposedInSteps(const TimeTotals& group, const std::vector<TimeTotals>& by_module);

/// A module that stood still, over all ranks and without set-up.
struct StoodStill {
  StallPlace place;
  Stall stall;
  const TimeTotals* mostly_for = nullptr; ///< the row that has most of it: owned by the job
};

/// Returns where a job stood still, the longest first.
std::vector<StoodStill> stoodStill(const std::vector<TimeTotals>& by_module);

/// Return whether each call has a time: sampled ones are not all the exposed time of a step.
bool areAllTimed(const std::vector<TimeTotals>& rows);
bool areAllTimed(const JobCollective& row);

} // namespace commtap
