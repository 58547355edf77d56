// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commtap {

/// Ranks from first to last, both included.
using RankRange = std::pair<int64_t, int64_t>;
using RankRanges = std::vector<RankRange>;

/// Formats ranges as documents have them: "0-63,128"; "" for none.
std::string rangesText(const RankRanges& ranges);
/// Formats ranks in their order: "0-63,128", but "3,0-2" for 3, 0, 1, 2.
std::string rangesText(std::span<const uint32_t> ranks);

/// Parse the formatted texts. Return nullopt for any other text, and for more than kMostRanks ranks. A few bytes stand
/// for many ranks: the reader of a document adds up countOf() before it calls ranksFromText().
std::optional<RankRanges> rangesFromText(std::string_view text);
std::optional<std::vector<uint32_t>> ranksFromText(std::string_view text);
inline constexpr int64_t kMostRanks = 1LL << 22U;

/// Returns the number of ranks in `ranges`.
size_t countOf(const RankRanges& ranges);

} // namespace commtap
