// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "report/job/job_report.h"

namespace commtap {

/// The training steps by which the amounts of two runs are divided. Set-up is never divided.
struct ComparedSteps {
  uint64_t before = 0; ///< 0: the amounts of both runs are per run
  uint64_t after = 0;

  bool arePerStep() const {
    return before > 0 && after > 0;
  }
  /// Returns the number of steps of the longer run; 1 if amounts are per run.
  uint64_t most() const {
    return std::max<uint64_t>(std::max(before, after), 1);
  }
  bool operator==(const ComparedSteps&) const = default;
};

/// Returns the training steps of two runs. They are 0 and 0 if those of a run are not known. A report does not say
/// whether its only step is one, or a loop without a sign of a step: so they are also 0 if neither run has made two.
ComparedSteps comparedSteps(const JobReport& before, const JobReport& after);

/// Returns "the run before", "the run after" or "both runs": those that lack what the others have; "" if none does.
std::string_view runsWithout(bool before_has, bool after_has);

} // namespace commtap
