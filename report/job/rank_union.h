// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/rank_ranges.h"

namespace commtap {

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
