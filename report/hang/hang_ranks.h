// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_waits.h"
#include "report/hang/job_end.h"
#include "report/hang/verdict.h"
#include "report/hang/wait_graph.h"

namespace commtap {

/// The facts from which ranks are described.
struct RankFacts {
  std::span<const RankSight> sights;
  const HangGroups& groups;
  const Waits& waits;
  const WaitGraph& graph;
  const JobEnd& end;
  uint64_t until_ns; ///< CLOCK_REALTIME of the job's end, or now
};

/// Returns the ranks of a verdict: all causes, and of the others the first ones.
std::vector<HangRank> describedRanks(const RankFacts& facts, const std::vector<int64_t>& cause);

} // namespace commtap
