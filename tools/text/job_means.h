// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "report/job/job_report.h"

namespace commtap {

/// The mean of rows per rank and step.
struct Mean {
  double calls = 0;
  double bytes = 0;

  Mean& operator+=(const Mean& other) {
    calls += other.calls;
    bytes += other.bytes;
    return *this;
  }
};

/// Divides the sums of a job by its ranks, and by its training steps if it has any. Set-up is per rank and run.
class Means {
 public:
  explicit Means(const JobReport& job);

  uint64_t steps() const {
    return steps_;
  }
  uint64_t ranks() const {
    return ranks_;
  }
  /// Returns whether the numbers include calls that no step made.
  bool haveCallsOutside() const {
    return has_calls_outside_;
  }
  void add(const JobCollective& row, Mean& mean) const;

 private:
  uint64_t steps_;
  uint64_t ranks_;
  bool has_calls_outside_;
};

/// Returns a number of calls with four digits: "2.5".
std::string callsText(double calls);

/// Returns "Per rank and step: all but set-up, divided by 4 ranks and 10 steps", the unit of all means but set-up.
std::string unitText(const Means& means);

/// Returns what the run communicated before its first forward; "" for nothing.
std::string setupText(const JobReport& job, const Means& means);

} // namespace commtap
