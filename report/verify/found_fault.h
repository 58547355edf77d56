// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/replicas/rank_parts.h"
#include "report/verify/verification.h"

namespace commtap {

/// A fault of one parameter, or of ranks. Its finding has the parameters and ranks of all faults that are alike.
struct FoundFault {
  VerifyFinding finding; ///< without parameters and sets
  std::string parameter; ///< "" for a fault of ranks
  RankParts parts;       ///< of the ranks that differ; one part for ranks that are not compared
};

/// Makes one finding of the faults that are alike in class, steps, cause and ranks, and one of those that are alike
/// except for their ranks and have the same parameters. Errors come first, then warnings, then notes, by step, by class
/// and by the number of parameters. A finding also has what went apart later between
/// its ranks.
std::vector<VerifyFinding> groupedFaults(const std::vector<FoundFault>& faults);

/// Returns the ranges of the ranks in a part.
RankRanges rangesOf(std::vector<int64_t> ranks);
VerifyRanks verifyRanksOf(const RankParts& parts);

} // namespace commtap
