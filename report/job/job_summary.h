// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Ranks from first to last, both included.
using RankRange = std::pair<int64_t, int64_t>;
using RankRanges = std::vector<RankRange>;

/// "0-3, 7"; long lists end in "...".
std::string rankText(const RankRanges& ranges);
RankRanges rankRanges(std::vector<int64_t> ranks);
/// How many ranks there are in them.
size_t countOf(const RankRanges& ranges);
/// The ranks below `world_size` that are not in `present`.
RankRanges gapsIn(const RankRanges& present, int64_t world_size);

struct ExitSummary {
  ExitKind exit = ExitKind::kNormal;
  std::optional<int64_t> signal;
  RankRanges ranks;
  size_t unranked = 0; ///< processes without a rank
};

struct NotSeenSummary {
  NotSeenEntry entry; ///< the count of all processes, the first one's detail
  RankRanges ranks;
};

/// Who is in a set of reports, who is missing, and how each ended.
struct JobSummary {
  std::string run_id;
  int64_t attempt = 0;
  std::string torch_version;
  std::optional<int64_t> world_size;
  size_t processes = 0;
  size_t unranked = 0; ///< processes without a rank
  RankRanges ranks;
  size_t rank_count = 0;
  RankRanges missing;                  ///< empty if the world size is not known
  uint64_t started_at_ns = 0;          ///< the first
  std::optional<uint64_t> ended_at_ns; ///< the last; nullopt if one has no end
  std::vector<ExitSummary> exits;
  std::vector<NotSeenSummary> not_seen;
};

} // namespace commtap
