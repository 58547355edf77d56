// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/rank_ranges.h"

#include <charconv>

namespace commtap {
namespace {

/// Removes a rank from the start of `text`. Returns nullopt if there is none.
std::optional<int64_t> takeRank(std::string_view& text) {
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || rank < 0 || rank >= kMostRanks) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return rank;
}

bool takeMark(std::string_view& text, char mark) {
  const bool is_there = text.starts_with(mark);
  text.remove_prefix(is_there ? 1 : 0);
  return is_there;
}

} // namespace

std::string rangesText(const RankRanges& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    text += (text.empty() ? "" : ",") + std::to_string(first);
    text += first == last ? "" : "-" + std::to_string(last);
  }
  return text;
}

std::string rangesText(std::span<const uint32_t> ranks) {
  RankRanges runs;
  for (const int64_t rank : ranks) {
    if (!runs.empty() && runs.back().second + 1 == rank) {
      runs.back().second = rank;
    } else {
      runs.emplace_back(rank, rank);
    }
  }
  return rangesText(runs);
}

size_t countOf(const RankRanges& ranges) {
  size_t count = 0;
  for (const auto& [first, last] : ranges) {
    count += static_cast<size_t>(last) - static_cast<size_t>(first) + 1;
  }
  return count;
}

std::optional<RankRanges> rangesFromText(std::string_view text) {
  RankRanges ranges;
  int64_t count = 0;
  while (!text.empty()) {
    const bool is_separated = ranges.empty() || takeMark(text, ',');
    const std::optional<int64_t> first = is_separated ? takeRank(text) : std::nullopt;
    const std::optional<int64_t> last = first && takeMark(text, '-') ? takeRank(text) : first;
    if (!last || *last < *first) {
      return std::nullopt;
    }
    count += *last - *first + 1;
    if (count > kMostRanks) {
      return std::nullopt;
    }
    ranges.emplace_back(*first, *last);
  }
  return ranges;
}

std::optional<std::vector<uint32_t>> ranksFromText(std::string_view text) {
  const std::optional<RankRanges> ranges = rangesFromText(text);
  if (!ranges) {
    return std::nullopt;
  }
  std::vector<uint32_t> ranks;
  for (const auto& [first, last] : *ranges) {
    for (int64_t rank = first; rank <= last; ++rank) {
      ranks.push_back(static_cast<uint32_t>(rank));
    }
  }
  return ranks;
}

} // namespace commtap
