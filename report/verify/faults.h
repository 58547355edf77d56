// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/replicas/replica_sets.h"
#include "report/replicas/replica_split.h"
#include "report/replicas/verify_vocabulary.h"
#include "report/verify/step_reductions.h"
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

/// Moves the parameters of findings that may follow from another one into its `later_parameters`: they went apart
/// between the same ranks, in a later sample or with less evidence, and their gradients differ, as those of other
/// values do. Drops those that count only next to another one, if there is none. `findings` are in the order of their
/// severity and step.
void foldLater(std::vector<VerifyFinding>& findings);

/// Returns what the rows of the reports show: reductions that stop, and, as notes, modules that are trained and
/// communicate in the forward only, and gradients that are reduced in groups of one rank.
std::vector<FoundFault> rowFaults(const ParameterTracks& tracks, const JobFacts& facts);

/// Returns the ranks that are at other collectives of a group than the others at the same step, as after a step that
/// they skipped; and those whose last sample is of an earlier step.
std::vector<FoundFault> stepFaults(const ParameterTracks& tracks, const JobFacts& facts);

/// Returns the parameters whose shards are all equal at the start, if most shards of their ranks are: drawn with one
/// seed. A few may be equal because their tensor repeats, as those of state space models do.
std::vector<FoundFault> shardFaults(const ParameterTracks& tracks, const JobFacts& facts);

/// Returns what the inputs of reductions show: gradients that are reduced twice, the ranks from which infinities or NaN
/// come, ranks that put in only zeros, or numbers of another size, and inputs that only grow.
std::vector<FoundFault> inputFaults(std::span<const StepSamples> steps, const ParameterTracks& tracks);

/// Returns the ranks that read the same samples although their gradients are reduced together, by the rows of the
/// forwards' tensors, else by what they put into all reductions. Ranks that exchange activations share samples.
std::vector<FoundFault> dataFaults(std::span<const StepSamples> steps, const JobFacts& facts);

/// Returns the parameters that do not train: those whose values never change although they have gradients, and those of
/// an optimizer that never have a gradient. If these are all of the optimizer's, and none changes, they are a warning.
std::vector<FoundFault> trainingFaults(const ParameterTracks& tracks, const JobFacts& facts);

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

/// Returns whether the parameter changes on some ranks only, no optimizer has it, and the backward does not reach it on
/// all ranks: a copy that one rank keeps, as an exponential moving average.
bool isRankCopy(const ReplicaSplit& split);

/// Returns whether the split proves nothing, and counts only next to one between the same ranks that does: of a
/// parameter that is constant at the start, or whose gradients are noise. Its finding is a note of the class kSeparate.
bool isFollower(VerifySeverity severity, VerifyClass what);

/// Returns what the split is; nullopt if it is no news: ranks that were never replicas go apart.
std::optional<SplitVerdict>
classOf(const SplitSet& split, const SampledOptimizer& optimizer, RankPartsFacts& parts, const JobFacts& facts);

/// Returns the steps, distances and causes of a split.
VerifyFinding findingOf(
    const ReplicaSplit& split,
    const SplitDifference& difference,
    const ParameterTrack& track,
    const SampledOptimizer& optimizer);

/// Compares the replicas of all parameters.
class ReplicaFaults {
 public:
  /// The arguments outlive the object.
  ReplicaFaults(const ParameterTracks& tracks, const JobFacts& facts);

  const std::vector<FoundFault>& faults() const {
    return faults_;
  }
  /// Returns how many names of parameters have replicas. Several optimizers may have one parameter.
  size_t replicated() const {
    return replicated_.size();
  }
  /// Returns how many of these are equal in all samples.
  size_t equal() const;
  /// Returns how many names are of replicas that nothing proves: they started equal, and went apart.
  size_t unproven() const;
  /// Returns how many names are shards that are none of these.
  size_t sharded() const;
  /// Returns how many buffers were compared, and how many of them are equal in all samples.
  std::pair<size_t, size_t> buffers() const {
    return {buffers_, equal_buffers_};
  }
  /// Returns the sets of ranks that hold replicas, and of how many parameters.
  const std::map<std::vector<int64_t>, size_t>& replicas() const {
    return replicas_;
  }

 private:
  struct Found {
    SplitSet split;
    size_t parent = 0; ///< place of the split of which this one's ranks are a part; its own for none
  };

  /// A set of ranks whose parts are followed from split to split.
  struct Followed {
    const ParameterTrack& track;
    const ReplicaSet& set;
    bool is_replicated = false; ///< the set, or parts of it, hold replicas
    bool is_equal = true;       ///< those that do never differ
    bool is_counted = false;    ///< the ranks at hand are a part of ranks that are counted already
  };

  void compare(const ParameterTrack& track);
  void addReplicated(const ParameterTrack& track, bool is_equal);
  void follow(Followed& followed, const RankTracks& members, size_t from, size_t parent);
  bool isProven(const RankTracks& members, size_t end) const;
  bool holdReplicas(
      const Followed& followed,
      const RankTracks& members,
      const std::optional<ReplicaSplit>& split,
      bool is_root) const;
  void findOddGradient(const ParameterTrack& track, const ReplicaSet& set, const RankTracks& members);
  void judgeSplits();
  void judgeSameGradients();
  void judgeOwnValues();
  void judgeTied();
  void judgeBuffers();
  std::optional<FoundFault> ownValuesOf(const ParameterTrack& track, const RankTracks& ranks);
  bool shareAModel(const SameGradient& same, int64_t one, int64_t other) const;
  bool isMostOf(const SameGradient& same) const;

  const ParameterTracks& tracks_;
  const JobFacts& facts_;
  RankPartsFacts parts_;
  std::deque<ReplicaSet> sets_; ///< those of the splits
  std::vector<Found> splits_;
  std::set<const ReplicaSet*> odd_gradients_; ///< the sets whose splits follow from a gradient that is not finite
  std::vector<SameGradient> same_gradients_;
  std::vector<FoundFault> faults_;
  std::map<std::string_view, bool> replicated_; ///< whether it is equal in all samples, by name
  std::set<std::string_view> apart_;            ///< names of parameters that started equal and went apart
  std::set<std::string_view> shards_;           ///< names
  size_t buffers_ = 0;
  size_t equal_buffers_ = 0;
  std::map<std::vector<int64_t>, size_t> replicas_;
};

} // namespace commtap
