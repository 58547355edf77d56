// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "report/advice/advice.h"
#include "report/job/job_report.h"

namespace commtap {

/// The part of a row that a rule has at stake, of 1.
struct Stake {
  double calls = 1;
  double bytes = 1;
};

/// Collects what the rules find in a job, by rule and group. Numbers are means per rank and step.
class Findings {
 public:
  /// `job` must outlive the findings.
  explicit Findings(const JobReport& job);

  /// Adds a row that proves `rule`.
  void add(AdviceRule rule, const JobCollective& row, Stake stake = {});

  double calls(const JobCollective& row) const {
    return mean(row.amount.count.sum, row);
  }
  double bytes(const JobCollective& row) const {
    return mean(row.amount.bytes.sum, row);
  }
  /// Returns the least number of calls that the row has in every step; 0 if steps do not prove any, and for set-up. The
  /// report counts steps by kind and group. So the row may have made all calls by which a step exceeds the smallest
  /// one, and what then remains of the row is in every step.
  double callsInEveryStep(const JobCollective& row) const;

  const JobReport& job() const {
    return job_;
  }
  /// Returns the findings by rule, then by group.
  std::vector<Advice> take();

 private:
  double mean(double sum, const JobCollective& row) const;
  double mean(uint64_t sum, const JobCollective& row) const {
    return mean(static_cast<double>(sum), row);
  }

  const JobReport& job_;
  double steps_;
  std::map<std::pair<AdviceRule, size_t>, Advice> found_;
};

/// Returns whether a step of the training communicates, not what surrounds it.
constexpr bool isTraining(Phase phase) {
  return phase != Phase::kOther;
}

} // namespace commtap
