// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/replicas/replica_split.h"

namespace commtap {

/// Ranks that use one gradient for different values.
struct SameGradient {
  const ParameterTrack* track = nullptr;
  ReplicaSplit split; ///< at the first such sample; without `before` the values differed in the first one
  SplitDifference difference;
  bool is_declared =
      false; ///< ranks of different parts declare replicas, or only some of them have an optimizer for it
};

/// Returns the first sample in which ranks of a parameter have equal gradients and different values, for each set of
/// such ranks. Equal gradients prove replicas: nothing else makes two ranks' gradients equal, except for gradients
/// whose elements are all equal. Differences as small as rounding do not count.
std::vector<SameGradient>
sameGradients(const ParameterTrack& track, const SampledOptimizer& optimizer, const JobFacts& facts);

} // namespace commtap
