// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_waits.h"
#include "report/hang/job_end.h"
#include "report/hang/verdict.h"

namespace commtap {

/// The edges from each rank to the ranks that it waits for. A rank that was alive when the job was ended waits as it
/// did then.
class WaitGraph {
 public:
  /// `absent` is the state of a rank without a report. That of a rank in `elsewhere`, which has taken part, is
  /// kUnknown.
  WaitGraph(
      std::span<const RankSight> sights,
      const Waits& waits,
      const JobEnd& end,
      RankState absent,
      std::set<int64_t> elsewhere = {});

  /// Returns the state of the rank; for one that was alive when the job was ended, the state then: kWaits or kEnded.
  RankState stateOf(int64_t rank) const;
  /// Returns the ranks that `rank` waits for. A rank that cannot wait, or goes on, waits for none.
  const std::vector<int64_t>& blockersOf(int64_t rank) const;
  /// Returns the ranks that others wait for and that wait for none themselves.
  std::vector<int64_t> ends() const;
  /// Returns ranks that wait for each other, each for the next one and the last one for the first; empty if there is no
  /// such cycle.
  std::vector<int64_t> cycle() const;
  /// Returns the ranks that wait for one of `causes`, also by way of others.
  std::set<int64_t> victimsOf(const std::vector<int64_t>& causes) const;
  bool hasRunning() const {
    return has_running_;
  }

 private:
  RankState absent_;
  std::set<int64_t> elsewhere_;
  std::map<int64_t, RankState> states_;
  std::map<int64_t, std::vector<int64_t>> blockers_;
  bool has_running_ = false;
};

} // namespace commtap
