// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/replicas/parameter_tracks.h"
#include "report/replicas/verify_vocabulary.h"

namespace commtap {

/// Returns the ranks that have a sample of the step, by the bits of their values: most ranks first.
std::vector<RankTracks> partsAt(const RankTracks& members, size_t step);

/// Returns whether the parts' gradients are equal in each sample before a step that has them, and in one at least.
bool hadEqualGradients(const std::vector<RankTracks>& parts, size_t end);

/// Returns in how many samples of the rank its values are others than in the one before.
size_t changesOf(const RankTrack& track);

/// Returns the proof, from samples before a step, that ranks hold replicas: kGradients, kChanges, or kNone.
ReplicaEvidence proofOf(const RankTracks& members, size_t end);

/// The first sample in which the values of ranks differ that were equal before.
struct ReplicaSplit {
  size_t step = 0;               ///< place in SampledOptimizer::steps
  std::optional<size_t> before;  ///< the last place with equal values; nullopt: they never were
  std::vector<RankTracks> parts; ///< most ranks first
  ReplicaEvidence proof = ReplicaEvidence::kNone;
  std::optional<size_t> equal_again; ///< a later place with equal values, other than those before
};

/// Returns the first split of ranks at or after `from`; nullopt if their values are always equal.
std::optional<ReplicaSplit> firstSplit(const RankTracks& members, size_t from);

/// How the parts of a split differ. Compares one rank of each part.
struct SplitDifference {
  std::optional<double> values;    ///< the largest distance; nullopt if not known
  std::optional<double> gradients; ///< nullopt if not known, or there are none to compare
  /// The distance in the step just before the split, whose update made the values differ; nullopt if that step was not
  /// sampled, or there are none to compare.
  std::optional<double> gradients_before;
  bool is_of_update = false;        ///< the gradients were equal in all samples until the step just before the split
  bool has_noise_gradients = false; ///< the gradients are so small by the others that rounding may be all they are
  bool has_non_finite = false;      ///< of some parts only
  DifferenceCause cause = DifferenceCause::kUnknown;
  std::vector<int64_t> cause_ranks; ///< those that are frozen, without a gradient, or not finite
};
SplitDifference differenceOf(const ReplicaSplit& split, const SampledOptimizer& optimizer);

} // namespace commtap
