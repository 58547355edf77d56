// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/samples/samples.h"

namespace commtap {

/// A parameter on one rank, in the samples of its optimizer.
struct RankTrack {
  int64_t rank = 0;
  const SampledParameter* facts = nullptr;
  std::vector<const SampleRow*> rows;             ///< by SampledOptimizer::steps; nullptr: not sampled on this rank
  std::vector<const SampledParameter*> row_facts; ///< what was known at each row; `facts` is the last

  const SampleRow* row(size_t step) const {
    return step < rows.size() ? rows[step] : nullptr;
  }
};

/// Some ranks of a parameter, ascending.
using RankTracks = std::vector<const RankTrack*>;

/// A parameter on all ranks that have one of its name.
struct ParameterTrack {
  std::string name;
  uint32_t optimizer = 0;
  std::vector<RankTrack> ranks; ///< ascending

  const RankTrack* of(int64_t rank) const;
};

/// The samples of one optimizer, which trains the same parameters on each rank.
struct SampledOptimizer {
  std::vector<uint64_t> steps; ///< those that some rank sampled, ascending
  /// By rank and step: the largest norm of a gradient, squared; 0 for no sample.
  std::map<int64_t, std::vector<double>> largest_gradients;
  std::map<int64_t, std::vector<const Sample*>> samples; ///< by rank and step; nullptr: no sample
};

/// The samples of all ranks, by parameter.
class ParameterTracks {
 public:
  /// Takes one process per rank, that with the most samples, and none without a rank. Leaves out the rows of samples in
  /// `apart`. `processes` outlives the object.
  explicit ParameterTracks(std::span<const ProcessSamples> processes, const std::set<const Sample*>& apart = {});

  const std::vector<ParameterTrack>& all() const {
    return tracks_;
  }
  /// Returns the buffers of models, which are not in all().
  const std::vector<ParameterTrack>& buffers() const {
    return buffers_;
  }
  const std::map<uint32_t, SampledOptimizer>& optimizers() const {
    return optimizers_;
  }
  const SampledOptimizer& optimizerOf(const ParameterTrack& track) const {
    return optimizers_.at(track.optimizer);
  }
  /// Returns the ranks with samples, ascending.
  const std::vector<int64_t>& ranks() const {
    return ranks_;
  }

 private:
  using Key = std::pair<uint32_t, std::string>; ///< of an optimizer, and of a parameter in its samples
  using Matches = std::map<std::pair<int64_t, uint32_t>, uint32_t>; ///< see optimizerMatches()

  void addSteps(const ProcessSamples& process, const Matches& matches);
  void addRows(
      const ProcessSamples& process,
      const Matches& matches,
      const std::set<const Sample*>& apart,
      std::map<Key, size_t>& places,
      std::map<Key, size_t>& buffer_places);
  static RankTrack&
  trackOf(const Key& key, int64_t rank, std::map<Key, size_t>& places, std::vector<ParameterTrack>& tracks);

  std::vector<ParameterTrack> tracks_;
  std::vector<ParameterTrack> buffers_;
  std::map<uint32_t, SampledOptimizer> optimizers_;
  std::vector<int64_t> ranks_;
};

/// Returns whether the step has a gradient that is no part of a sum. That two of them are equal is a proof.
bool hasWholeGradient(const RankTrack& track, size_t step);
/// Returns whether it means something that the gradient differs from that of another rank: it is whole, and the
/// optimizer uses it.
bool hasUsedGradient(const RankTrack& track, size_t step);

/// Returns the first step of which the rank has a sample of the parameter. There is one.
size_t firstStepOf(const RankTrack& track);
const SampleRow& firstRowOf(const RankTrack& track);
/// Returns the first of the steps that most of the ranks have sampled. There is one.
size_t commonStepOf(const RankTracks& ranks);

/// Returns the module, or the innermost one above it that has parameters: a dispatcher of tokens may have none, and
/// then the experts are next to it. "" if there is none.
std::string withParameters(std::string module, const ParameterTracks& tracks);

/// Returns, for rows that are named by their place in an optimizer, what a later sample knows of the parameter: before
/// the first forward, as in a closure's first step, no model is known. An optimizer's parameters come in one order. Has
/// no row of a sample whose shapes or dtypes differ from those of the later one. Points into `process`.
std::map<const SampleRow*, const SampledParameter*> laterNames(const ProcessSamples& process);

/// Returns, by rank and number of an optimizer on it, the number under which the optimizers of all ranks that train the
/// same parameters are compared. A rank may have an optimizer more than others, which steps before theirs. An
/// optimizer that shares no parameter with other ranks' keeps its number if that is free: pipeline stages have such.
std::map<std::pair<int64_t, uint32_t>, uint32_t> optimizerMatches(const std::vector<const ProcessSamples*>& processes);

/// A process group of two ranks or more, with its name as its members' reports have it.
using GroupKey = std::pair<std::string, NamedGroup>;
/// How many collectives of a group each rank had issued at the start of a step.
using Issued = std::map<int64_t, uint64_t>;

/// Returns these numbers for each group that the reports know, by place in SampledOptimizer::steps.
std::map<GroupKey, std::vector<Issued>> issuedCollectives(const SampledOptimizer& optimizer, const JobFacts& facts);

/// Returns the samples whose step has the number of other ranks' steps and is another moment of the job: the rank had
/// issued more or fewer collectives than they in each group that was in use, compared with its first sample. So it is
/// after a step that a rank left out, and with torch's Join for uneven inputs. Each group is compared with its first
/// rank.
std::set<const Sample*> samplesApart(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
