// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "report/model/rank_ranges.h"

namespace commtap {

/// Formats ranges as "0-3, 7". Long lists end in "...".
std::string rankText(const RankRanges& ranges);
RankRanges rankRanges(std::vector<int64_t> ranks);
/// Returns the ranks below `world_size` that are not in `present`.
RankRanges gapsIn(const RankRanges& present, int64_t world_size);

struct ExitSummary {
  ExitKind exit = ExitKind::kNormal;
  std::optional<int64_t> signal;
  std::optional<int64_t> status;
  RankRanges ranks;
  size_t unranked = 0; ///< processes without a rank

  /// Returns whether a signal ended the processes, or may have.
  bool wasKilled() const {
    return exit == ExitKind::kKilled || exit == ExitKind::kSignal;
  }
  /// Returns whether the processes exited by themselves, with an error.
  bool hasFailed() const {
    return status.value_or(0) != 0;
  }
  /// Returns whether either holds.
  bool hasEndedBadly() const {
    return wasKilled() || hasFailed();
  }
};

struct NotSeenSummary {
  NotSeenEntry entry; ///< the count of all processes, the detail of the first
  RankRanges ranks;
};

/// Returns the ranks that are in either of two sets, in order.
RankRanges unionOf(const RankRanges& a, const RankRanges& b);

/// Return the ranks of `a` that are also in `b`, or not in `b`. Both sets are in order.
RankRanges intersectionOf(const RankRanges& a, const RankRanges& b);
RankRanges differenceOf(const RankRanges& a, const RankRanges& b);

/// The ranks that have any of several rows.
class RankUnion {
 public:
  /// Adds the ranks of a row. `count`: their number, with processes that have no rank, which no set lists.
  void add(const RankRanges& ranks, uint64_t count);

  const RankRanges& ranks() const {
    return ranks_;
  }
  /// Returns the number of ranks. Processes without a rank may be the same ones in all rows.
  uint64_t count() const;

 private:
  RankRanges ranks_;
  uint64_t most_ = 0; ///< the largest `count` of any row
};

} // namespace commtap
