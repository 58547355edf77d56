// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/model.h"

namespace commtap {

/// A planned rank, with its report before the last step, and the ranks that it represents.
struct PlannedRank {
  const Report* plan = nullptr;
  const Report* before = nullptr;
  std::vector<int64_t> ranks;
};

/// Collectives of one kind, size and group. Calls and bytes are of the last step, per rank: sums over all ranks divided
/// by their number.
struct Messages {
  Kind kind = Kind::kOther;
  std::string group; ///< groupTitle
  uint32_t group_size = 0;
  uint32_t nodes = 0;    ///< the most nodes that ranks of one process group are on
  uint64_t smallest = 0; ///< bytes; less than `largest` only if calls of several sizes are counted in one row
  uint64_t largest = 0;
  double calls = 0;
  double bytes = 0;
  double bytes_across = 0; ///< of process groups whose ranks are on several nodes
};

/// Returns what a layout communicates in its last step, largest first. `groups`: those of the merged plan. Rank r is on
/// node r / `per_node`.
std::vector<Messages>
messagesOf(const std::vector<PlannedRank>& planned, const std::vector<JobGroup>& groups, uint32_t per_node);

} // namespace commtap
