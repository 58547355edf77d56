// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_summary.h"

#include <algorithm>

namespace commtap {
RankRanges rankRanges(std::vector<int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  RankRanges ranges;
  for (const int64_t rank : ranks) {
    if (!ranges.empty() && (rank == ranges.back().second || rank - 1 == ranges.back().second)) {
      ranges.back().second = rank;
    } else {
      ranges.emplace_back(rank, rank);
    }
  }
  return ranges;
}

RankRanges gapsIn(const RankRanges& present, int64_t world_size) {
  RankRanges gaps;
  int64_t next = 0;
  for (const auto& [first, last] : present) {
    if (first > next && next < world_size) {
      gaps.emplace_back(next, std::min(first, world_size) - 1);
    }
    if (last >= world_size - 1) {
      return gaps;
    }
    next = std::max<int64_t>(last + 1, 0);
  }
  if (next < world_size) {
    gaps.emplace_back(next, world_size - 1);
  }
  return gaps;
}

std::string rankText(const RankRanges& ranges) {
  constexpr size_t kMaxRanges = 16;
  std::string text;
  for (size_t i = 0; i < std::min(ranges.size(), kMaxRanges); ++i) {
    const auto& [first, last] = ranges[i];
    text += (i == 0 ? "" : ", ") + std::to_string(first);
    text += first == last ? "" : "-" + std::to_string(last);
  }
  return ranges.size() > kMaxRanges ? text + ", ..." : text;
}

} // namespace commtap
