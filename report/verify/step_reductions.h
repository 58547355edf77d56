// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"

namespace commtap {

/// A tensor that each rank of a group has put into one call that reduces gradients.
struct StepReduction {
  const NamedGroup* group = nullptr;
  std::vector<const SampledReduction*> inputs; ///< by place in the group; all are there

  const SampledReduction& first() const {
    return *inputs.front();
  }
  /// Returns whether all inputs are bitwise equal, and mean something: they are finite, and their elements differ.
  bool isEqual() const;
};

/// The ranks' samples of one step of an optimizer.
struct StepSamples {
  uint32_t optimizer = 0;
  uint64_t step = 0;
  std::optional<uint64_t> before;           ///< the sampled step before it
  std::map<int64_t, const Sample*> samples; ///< by rank
  std::vector<StepReduction> reductions;    ///< in the order of their calls
};

/// Returns all sampled steps by optimizer, with the reductions that all ranks of a group have sampled. A call outside
/// of backward is one of gradients if a rank knows it from memory, or if such calls together have as many elements as
/// the gradients, as buckets that the job fills.
std::vector<StepSamples> stepSamples(const ParameterTracks& tracks, const JobFacts& facts);

/// Returns whether the values are one element's, or zeros.
bool isZero(const Digest& digest);

/// The inputs of gradients and data that were compared.
struct ComparedInputs {
  uint64_t reductions = 0; ///< tensors that all ranks of a group put into a reduction of gradients
  uint64_t rows = 0;       ///< of data, on ranks whose gradients are reduced together
};
ComparedInputs comparedInputs(std::span<const StepSamples> steps);

} // namespace commtap
