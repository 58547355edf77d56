// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/replicas/replica_sets.h"
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
/// come, and ranks that put in only zeros, or numbers of another size.
std::vector<FoundFault> inputFaults(std::span<const StepSamples> steps, const ParameterTracks& tracks);

/// Returns the ranks that read the same samples although their gradients are reduced together, by the rows of the
/// forwards' tensors, else by what they put into all reductions. Ranks that exchange activations share samples.
std::vector<FoundFault> dataFaults(std::span<const StepSamples> steps, const JobFacts& facts);

/// Returns the parameters that do not train: those whose values never change although they have gradients, and those of
/// an optimizer that never have a gradient. If these are all of the optimizer's, and none changes, they are a warning.
std::vector<FoundFault> trainingFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
