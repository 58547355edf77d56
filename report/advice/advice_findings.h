// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "report/advice/advice.h"
#include "report/job/job_report.h"
#include "report/job/rank_union.h"
#include "report/job/step_count.h"

namespace commtap {

/// The part of a row that would go by an advice, of 1.
struct Stake {
  double calls = 1;
  double bytes = 1;
  double exposed = 0;
};

/// Collects what the rules find in a job, by rule and group. Numbers are per rank and step: of the ranks that have any
/// of the rows, and for each row of the steps that can have it.
class Findings {
 public:
  /// `job` must outlive the findings.
  explicit Findings(const JobReport& job);

  /// Adds a row that proves `rule`.
  void add(AdviceRule rule, const JobCollective& row, Stake stake = {});

  /// Returns the calls of several rows per rank and step.
  double calls(std::span<const JobCollective* const> rows) const;

  /// Returns the least number of calls that the row has in every training step, per rank; 0 if steps do not prove any,
  /// and for set-up. The report counts steps by kind and group. So the row may have made all calls by which a step
  /// exceeds the smallest one, and what then remains of the row is in every step. Steps that are added up may differ
  /// among themselves: they only count if single steps are known too.
  double callsInEveryStep(const JobCollective& row) const;

  /// Returns at least how many calls of several rows of one kind and group are in every training step, per rank.
  double callsInEveryStep(std::span<const JobCollective* const> rows) const;

  /// Returns the calls of a row over all ranks, without those of evaluations. The report counts steps by kind and
  /// group: a step that evaluates has its part of each row's calls.
  uint64_t trainingCalls(const JobCollective& row) const;

  const JobReport& job() const {
    return job_;
  }
  /// Returns the number of training steps; 0 if the job has no steps.
  uint64_t trainingSteps() const {
    return training_;
  }
  /// Returns the most backward passes that a rank may have made in the steps; 0 if it is not known.
  uint64_t backwardPasses() const {
    return backward_passes_;
  }
  /// Returns the findings by rule, then by group.
  std::vector<Advice> take();

 private:
  struct Found {
    Advice advice;
    RankUnion ranks;
  };

  /// The steps in which a kind and group are, and the calls that are not in a backward.
  struct StepsWith {
    uint64_t all = 0;
    uint64_t training = 0;
    uint64_t setup_calls = 0;
    uint64_t forward_calls = 0;    ///< of all rows that an evaluation may have
    uint64_t evaluation_calls = 0; ///< in steps that do not train
  };

  /// Returns the number of steps that can have the row: those in which its kind and group are, and only training steps
  /// for a phase that an evaluation does not have.
  double stepsOf(const JobCollective& row) const;
  void countSteps();

  const JobReport& job_;
  std::vector<StepsThatTrain> steps_;
  uint64_t training_ = 0;
  uint64_t backward_passes_ = 0;
  std::map<std::pair<Kind, size_t>, StepsWith> steps_with_; ///< by kind and group
  std::map<std::pair<AdviceRule, size_t>, Found> found_;
};

/// Returns whether a step of the training makes a row's calls, and not set-up or what surrounds the steps.
inline bool isTraining(const JobCollective& row) {
  return row.phase != Phase::kOther && !row.setup;
}

/// Returns whether a row's calls are functional collectives: those of DTensor, or of a compiler.
inline bool isFunctional(const JobCollective& row) {
  return row.op.starts_with("_c10d_functional");
}

} // namespace commtap
