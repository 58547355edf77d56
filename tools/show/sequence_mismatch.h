// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "report/model/rank_ranges.h"

namespace commtap {

/// A collective of some ranks.
struct RankCall {
  RankRanges ranks;
  LastCollective call;
};

/// A process group whose ranks issued different collectives under one sequence number: a hang or wrong results.
struct SequenceMismatch {
  std::string group_title;
  uint64_t sequence = 0;       ///< first differing sequence number
  std::vector<RankCall> calls; ///< one per distinct call, that of most ranks first
};

/// Returns the mismatches that `commtap why` finds among the ranks of the newest run. Sends and receives are left out:
/// without a verdict on the whole job it is not known which of them meet.
std::vector<SequenceMismatch> sequenceMismatches(std::span<const Report* const> reports);

} // namespace commtap
