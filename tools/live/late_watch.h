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
#include "report/model/rank_ranges.h"
#include "tools/live/job_look.h"

namespace commtap {

/// A rank that issues its collectives late, step after step.
struct LateRank {
  std::string run_id;
  int64_t attempt = 0;
  int64_t rank = 0;
  std::string group; ///< title of the group whose ranks wait
  RankRanges members;
  size_t late_steps = 0; ///< of `steps`, those in which the rank was the late one
  size_t steps = 0;      ///< the last ones seen
  double wait_ns = 0;    ///< mean of the late steps: how long the calls of the others waited for the rank
  double step_ns = 0;    ///< mean of the late steps: their seen part
};

/// Finds ranks that are late in the steps of running jobs, from one reading of their ledgers to the next, by the times
/// at which the ranks issued their last collectives.
///
/// A call waits from the median of the other ranks' issue times until the last rank issues it, without the part in
/// which the call before waited. The late rank of a step is the one that the calls of a group waited for longest, if
/// this is at least kLeastWait of the step, less the time for which the rank's own calls waited for others: a rank that
/// another one delays is not the cause. A rank is late if it is the late one in kBecomesLate of the last steps, and
/// until it is in less than kStaysLate of them.
///
/// Looks at collectives that no rank can leave before all have come, of groups whose ranks all run on one host: the
/// clocks of hosts differ. A step is looked at once, after every rank has gone on to the next one.
class LateWatch {
 public:
  static constexpr double kLeastWait = 0.1;
  static constexpr double kBecomesLate = 0.9;
  static constexpr double kStaysLate = 0.75;
  /// The last steps that count, and how many it takes. A step that is shorter than kShortStepNs counts as a part of
  /// one, so that a moment on a busy machine is not taken for a habit.
  static constexpr double kMostSteps = 32;
  static constexpr double kLeastSteps = 16;
  static constexpr double kShortStepNs = 250e6;

  /// Looks at the steps that are new. Returns the ranks that have become late. Forgets groups whose processes do not
  /// run.
  std::vector<LateRank> look(const JobLook& now);

  /// Returns the ranks that are late, each with the group whose calls waited longest for it.
  std::vector<LateRank> late() const;

 private:
  struct Step {
    std::optional<int64_t> late;
    uint64_t wait_ns = 0;
    uint64_t seen_ns = 0;

    double weight() const {
      return std::min(1.0, static_cast<double>(seen_ns) / kShortStepNs);
    }
  };
  struct History {
    /// Adds a step, and removes those that no longer count.
    void add(const Step& step);
    /// Finds the rank that is late now.
    void judge();

    LateRank found; ///< run, attempt and group also while no rank is late
    bool is_late = false;
    bool seen = false; ///< in this look
    uint64_t next_step = 0;
    std::deque<Step> steps;
    double weight = 0; ///< of all `steps`
  };
  /// Run, attempt, group, its ranks, and the start of its first process.
  using Key = std::tuple<std::string, int64_t, std::string, std::string, uint64_t>;

  void lookAt(const std::vector<const Report*>& attempt);
  History& historyOf(const HangGroup& group);

  std::map<Key, History> histories_;
};

/// Returns one line, without its end.
std::string lateRankLine(const LateRank& late);

} // namespace commtap
