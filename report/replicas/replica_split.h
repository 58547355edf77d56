// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/replicas/verify_vocabulary.h"
#include "report/samples/samples.h"

namespace commtap {

/// Up to which distance ranks that only round differently may be apart.
struct RoundingBounds {
  double values = 0;
  double gradients = 0;
  double updates = 0; ///< of values whose gradients are equal
};

/// Returns the bounds of a dtype. `coarse_dtype`: what the job computes in, if that is coarser; "" if it is not known.
/// In float32, rounding was measured up to 4e-7 of values in 300 steps and 5e-6 of gradients; of wrong gradients the
/// least distance was 0.02. Values drift on: the bound grows with the steps between the two samples. What a job
/// computes in shows in its gradients: the bound of values whose gradients are equal is that of `dtype`.
RoundingBounds roundingBounds(std::string_view dtype, std::string_view coarse_dtype, uint64_t steps);

/// Returns whether values and gradients so far apart are rounding. nullopt: there are no gradients to compare.
bool isRounding(double values, std::optional<double> gradients, const RoundingBounds& bounds);

/// Returns how far apart two values or gradients are, by the larger norm; nullopt if it is not known: the samples
/// have no sums, or one of them has no finite norm. Without sums, the norms alone can show that two are far apart: then
/// it is their difference, which the distance is not below.
std::optional<double> replicaDistance(const Digest& a, const Digest& b, bool has_sums);

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

/// A sample in which the gradients of some ranks have infinities or NaN, and those of others have none.
struct OddGradient {
  size_t step = 0;              ///< place in SampledOptimizer::steps
  std::optional<size_t> before; ///< the last place at which all gradients were finite
  RankTracks finite;
  RankTracks not_finite;
};

/// Returns the first such sample at or before the place `last`; nullopt if there is none. Only gradients that are whole
/// and that an optimizer uses count.
std::optional<OddGradient> firstOddGradient(const RankTracks& members, size_t last);

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
