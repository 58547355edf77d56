// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

#include "report/replicas/parameter_tracks.h"

namespace commtap {

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

} // namespace commtap
