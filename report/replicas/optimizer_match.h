// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "report/samples/samples.h"

namespace commtap {

/// Returns, by rank and number of an optimizer on it, the number under which the optimizers of all ranks that train the
/// same parameters are compared. A rank may have an optimizer more than others, which steps before theirs. An
/// optimizer that shares no parameter with other ranks' keeps its number if that is free: pipeline stages have such.
std::map<std::pair<int64_t, uint32_t>, uint32_t> optimizerMatches(const std::vector<const ProcessSamples*>& processes);

} // namespace commtap
