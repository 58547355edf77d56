// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "report/compare/compared_steps.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// Recognizes rows that two runs have alike although their means per step differ, because one run made more steps: what
/// is done once per run, an evaluation at the end, a first step that differs from the others.
///
/// The reports count single steps by kind and group only. These prove how much of a kind and group lies outside of a
/// steady step, and whether the steady steps of both runs are equal.
class UnevenRows {
 public:
  /// The runs must outlive this.
  UnevenRows(const JobReport& before, const JobReport& after, ComparedSteps steps);

  /// A row's calls and bytes of each further step, over all ranks of a run.
  struct Step {
    uint64_t count = 0;
    uint64_t bytes = 0;
  };
  /// The row in both runs, which differ in their number of ranks at most.
  struct Alike {
    Step before;
    Step after;
  };

  /// Returns what each further step of the longer run added to the row, if a steady step can have that much, and the
  /// rest of the row is equal in both runs and lies outside of steady steps. Otherwise, and if the runs made equally
  /// many steps, returns nullopt: the row differs.
  std::optional<Alike> alike(const CellChange& cell) const;

 private:
  /// The amounts of a kind and group per rank of the job: calls, or bytes.
  struct Amounts {
    double steady = 0; ///< in a steady step
    double extra = 0;  ///< by which all steps that have more exceed it, and what is in steps that do not train
    double lacked = 0; ///< by which steps that have less fall short of it
  };
  struct Steps {
    Amounts calls;
    Amounts bytes;
  };
  using StepsByGroup = std::map<std::pair<Kind, std::string>, Steps>;

  static StepsByGroup stepsIn(const JobReport& job);
  std::optional<double> each(double before, double after, const Amounts& in_before, const Amounts& in_after) const;

  ComparedSteps steps_;
  double ranks_before_ = 1;
  double ranks_after_ = 1;
  StepsByGroup before_;
  StepsByGroup after_;
};

} // namespace commtap
