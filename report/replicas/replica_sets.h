// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/replicas/verify_vocabulary.h"

namespace commtap {

/// Ranks that may hold replicas of a parameter.
struct ReplicaSet {
  RankTracks members;                                ///< two or more
  ReplicaEvidence evidence = ReplicaEvidence::kNone; ///< a declaration, or kStart: equal values at the start
  size_t start = 0;                                  ///< the first step that most members have sampled
  bool is_constant = false;         ///< all elements are equal at the start: that others are equal too means nothing
  bool is_expert = false;           ///< marked as an expert's: only proof makes them replicas
  std::vector<RankTracks> declared; ///< of kStart: the declared sets within it

  bool isDeclared() const {
    return evidence != ReplicaEvidence::kStart && evidence != ReplicaEvidence::kNone;
  }
};

/// Returns what the ranks of a parameter must have in common to be comparable: shape, dtype, place in a mesh and in a
/// tensor parallel group. "" for a rank whose parameter no other one can have.
std::string comparableKey(const RankTrack& track, const JobFacts& facts);

/// Returns whether the parameter is declared to be a part of one that ranks share.
bool isDeclaredShard(const SampledParameter& facts);

/// Returns the sets of ranks that declare replicas, then those that started equal, unless all of one declaration.
std::vector<ReplicaSet> replicaSetsOf(const ParameterTrack& track, const JobFacts& facts);

/// Returns the ranks of a parameter by comparableKey(), two or more of each.
std::vector<RankTracks> comparableRanks(const ParameterTrack& track, const JobFacts& facts);

/// Ranks by part, most ranks first.
using RankParts = std::vector<std::vector<int64_t>>;
RankParts ranksOf(const std::vector<RankTracks>& parts);

/// The evidence of all parameters about ranks whose values of some parameter differ.
struct PartsFacts {
  size_t in_step = 0;         ///< parameters that are proven replicas between the parts, be it for some steps only
  size_t split = 0;           ///< parameters that started equal, and differ between the parts later
  bool others_differ = false; ///< comparable parameters differ between them at the start
  bool has_shards = false;    ///< they have different shards of a parameter
  bool has_messages = false;  ///< the parts send to each other, as stages of a pipeline do
};

/// Counts, over all parameters, which ranks stay in step and which go apart.
class RankPartsFacts {
 public:
  /// The arguments outlive the object.
  RankPartsFacts(const ParameterTracks& tracks, const JobFacts& facts) : tracks_(tracks), facts_(facts) {}

  void addInStep(const RankTracks& members);
  void addSplit(const std::vector<RankTracks>& parts);

  /// Returns the facts of parts. All parameters must have been added.
  const PartsFacts& of(const RankParts& parts);
  /// Returns whether a parameter that is comparable and not constant differs between ranks at the start, of those whose
  /// name is below `module`; "" for all.
  bool startsDiffer(int64_t a, int64_t b, std::string_view module) const;

 private:
  bool haveShards(int64_t a, int64_t b) const;

  const ParameterTracks& tracks_;
  const JobFacts& facts_;
  std::map<std::vector<int64_t>, size_t> in_step_; ///< parameters, by ranks
  std::map<RankParts, size_t> splits_;             ///< parameters, by parts
  std::map<RankParts, PartsFacts> found_;
};

} // namespace commtap
