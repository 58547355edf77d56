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

namespace commtap {

/// A job's training steps while ranks come in one after the other. Ranks that have run as many steps have added them up
/// alike; a run of steps that only some ranks have is a row of its own, with those ranks alone.
class JobSteps {
 public:
  /// `groups`: where in the job the group of each amount belongs, as `steps` names them one after the other.
  void add(std::span<const Step> steps, std::span<const uint32_t> groups);
  void endRank(std::optional<int64_t> rank);

  /// In order; `group` is as it came in.
  std::vector<JobStep> take() const;

 private:
  using Place = std::pair<Kind, uint32_t>; ///< kind, group
  struct Row {
    uint64_t ranks = 0;
    uint64_t timed_ranks = 0;
    Spread<uint64_t> duration_ns;
    std::map<Place, JobStepAmount> amounts;
  };
  struct ComingAmount {
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t running_ns = 0;
    uint64_t blocked_ns = 0;
  };
  /// What the processes of the rank that is coming in have done in a run of steps.
  struct Coming {
    std::optional<uint64_t> duration_ns; ///< the longest
    std::map<Place, ComingAmount> amounts;
  };
  using Steps = std::pair<uint64_t, uint64_t>; ///< the first one, how many

  std::map<Steps, Row> rows_;
  std::map<Steps, Coming> coming_;
};

} // namespace commtap
