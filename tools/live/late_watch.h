// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "report/hang/hang_groups.h"
#include "tools/live/job_look.h"

namespace commtap {

/// A rank that issues its collectives late.
struct LateRank {
  std::string run_id;
  int64_t attempt = 0;
  int64_t rank = 0;
  std::string module;  ///< where it comes late most
  std::string group;   ///< title of the group whose ranks wait there
  std::string members; ///< of the group, as ranges
  double wait_ns = 0;  ///< mean of the steps: how long others waited for the rank, less its own waits
  double step_ns = 0;  ///< mean of the steps: their seen part
};

/// A rank, and the module, group and members of calls.
using LatePlace = std::tuple<int64_t, std::string, std::string, std::string>;

/// The waits of all groups in one step.
struct LateStep {
  static constexpr double kShortNs = 250e6;

  double seen_ns = 0;
  std::map<int64_t, double> come_ns;   ///< by rank: how late it came, in the group where that is most
  std::map<int64_t, double> wait_ns;   ///< by rank: how long its own calls waited for others, in all groups
  std::map<LatePlace, double> late_ns; ///< how late the rank came there

  /// Returns 1, or less for a short step: a moment on a busy machine is not taken for a habit.
  double weight() const {
    return std::min(1.0, seen_ns / kShortNs);
  }
};

/// Finds ranks that are late in the steps of running jobs, from one reading of their ledgers to the next, by the times
/// at which the ranks issued their last collectives.
///
/// A rank comes late to a call by the time since the median of all ranks had come, without the part in which the call
/// before waited. The time lost for it is that of the group where it is most, less the time for which its own calls
/// waited for others: a rank that another one delays is not the cause. A rank is late if the time lost for it, beyond
/// that of the median rank, is more than kLeastLoss of the time in each half of the last steps, and more than chance
/// makes: its mean over the steps is more than kLeastSure standard errors. It is until it falls below kStaysLate of
/// these bounds.
///
/// Looks at collectives that no rank can leave before all have come, of groups whose ranks all run on one host: the
/// clocks of hosts differ. A step is looked at once, after every rank has gone on to the next one.
class LateWatch {
 public:
  static constexpr double kLeastLoss = 0.01;
  static constexpr double kLeastSure = 6;
  static constexpr double kStaysLate = 0.5;
  /// The last steps that count, and how many it takes, by LateStep::weight().
  static constexpr double kMostSteps = 64;
  static constexpr double kLeastSteps = 16;

  /// Looks at the steps that are new. Returns the ranks that have become late. Forgets jobs whose processes do not run.
  std::vector<LateRank> look(const JobLook& now);

  /// Returns the ranks that are late, in each job the latest first.
  std::vector<LateRank> late() const;

 private:
  struct History {
    /// Adds a step, and removes those that no longer count.
    void add(LateStep step);
    /// Finds the ranks that are late now.
    void judge();
    /// Returns where the rank comes late most.
    LateRank lateRank(int64_t rank) const;

    std::vector<LateRank> late;
    bool seen = false; ///< in this look
    uint64_t next_step = 0;
    std::deque<LateStep> steps;
    double weight = 0; ///< of all `steps`
  };
  /// Run, attempt, and the start of its first process.
  using Key = std::tuple<std::string, int64_t, uint64_t>;

  void lookAt(const std::vector<const Report*>& attempt);

  std::map<Key, History> histories_;
};

/// Returns one line, without its end.
std::string lateRankLine(const LateRank& late);

} // namespace commtap
