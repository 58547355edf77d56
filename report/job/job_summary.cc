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
  return world_size > 0 ? differenceOf({{0, world_size - 1}}, present) : RankRanges();
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

RankRanges unionOf(const RankRanges& a, const RankRanges& b) {
  RankRanges all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  RankRanges joined;
  for (const auto& [first, last] : all) {
    if (!joined.empty() && first - 1 <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, last);
    } else {
      joined.emplace_back(first, last);
    }
  }
  return joined;
}

RankRanges intersectionOf(const RankRanges& a, const RankRanges& b) {
  RankRanges common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t first = std::max(a[i].first, b[j].first);
    const int64_t last = std::min(a[i].second, b[j].second);
    if (first <= last) {
      common.emplace_back(first, last);
    }
    (a[i].second < b[j].second ? i : j) += 1;
  }
  return common;
}

RankRanges differenceOf(const RankRanges& a, const RankRanges& b) {
  RankRanges rest;
  for (auto [first, last] : a) {
    for (const auto& [from, to] : b) {
      if (to < first || from > last) {
        continue;
      }
      if (from > first) {
        rest.emplace_back(first, from - 1);
      }
      first = std::min(to, last) + 1;
    }
    if (first <= last) {
      rest.emplace_back(first, last);
    }
  }
  return rest;
}

void RankUnion::add(const RankRanges& ranks, uint64_t count) {
  if (ranks != ranks_) { // most rows of one module have the same ranks
    ranks_ = unionOf(ranks_, ranks);
  }
  most_ = std::max(most_, count);
}

uint64_t RankUnion::count() const {
  return std::max<uint64_t>(countOf(ranks_), most_);
}

} // namespace commtap
