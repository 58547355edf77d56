// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/amounts.h"
#include "report/model/model.h"
#include "tools/text/table.h"

namespace commtap {

/// Sums over all ranks for the steps of the job report, by place.
class StepSums {
 public:
  /// Of one report each.
  struct Passes {
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    void add(uint64_t passes);
  };
  struct Sum {
    Passes forwards;
    Passes backwards;
    uint64_t exposed_ns = 0;
    uint64_t duration_ns = 0; ///< sum over all ranks
    bool runs = false;        ///< still running on a rank
  };
  void add(const Report& report);

  const std::map<StepPlace, Sum>& sums() const {
    return sums_;
  }
  /// Returns whether a process timed every collective. The exposed time of sampled collectives would be incomplete.
  bool isTimed() const {
    return is_timed_;
  }
  /// Returns whether reports were added: a merged report holds no passes.
  bool isKnown() const {
    return !sums_.empty();
  }
  /// Returns whether a backward pass is known.
  bool hasBackwards() const {
    return has_backwards_;
  }
  /// Returns whether a process has completed a step.
  bool haveEnded() const {
    return have_ended_;
  }
  /// Returns what ends the steps of the processes; nullopt for a process that had no sign of a step's end.
  const std::set<std::optional<StepSign>>& signs() const {
    return signs_;
  }
  /// Returns the names of the numbers that do not fit into 64 bits in a step.
  std::vector<std::string> saturated() const;

 private:
  std::map<StepPlace, Sum> sums_;
  std::set<std::optional<StepSign>> signs_;
  bool is_timed_ = false;
  bool has_backwards_ = false;
  bool have_ended_ = false;
};

/// Returns the table of the job's steps and of what is outside of them, with what ends them and the spread of their
/// durations below it. `sums`: of the same reports.
std::string stepsText(const JobReport& job, const StepSums& sums, const Color& color);

} // namespace commtap
