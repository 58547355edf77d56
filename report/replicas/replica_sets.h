// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
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

} // namespace commtap
