// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "report/replicas/job_facts.h"
#include "report/replicas/rank_parts.h"
#include "report/replicas/replica_sets.h"
#include "report/replicas/replica_split.h"
#include "report/replicas/verify_vocabulary.h"

namespace commtap {

/// A set of ranks whose values of a parameter went apart.
struct SplitSet {
  const ParameterTrack* track = nullptr;
  const ReplicaSet* set = nullptr;
  ReplicaSplit split;
  SplitDifference difference;
};

/// The judgement of a split.
struct SplitVerdict {
  VerifySeverity severity = VerifySeverity::kNote;
  VerifyClass what = VerifyClass::kRounding;
  bool is_averaged = false; ///< perhaps: the gradients differ, and the optimizer's step reduces over the ranks
};

/// Returns whether the split proves nothing, and counts only next to one between the same ranks that does: of a
/// parameter that is constant at the start, or whose gradients are noise. Its finding is a note of the class kSeparate.
bool isFollower(VerifySeverity severity, VerifyClass what);

/// Returns what the split is; nullopt if it is no news: ranks that were never replicas go apart.
std::optional<SplitVerdict>
classOf(const SplitSet& split, const SampledOptimizer& optimizer, RankPartsFacts& parts, const JobFacts& facts);

} // namespace commtap
