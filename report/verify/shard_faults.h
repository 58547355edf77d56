// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/verify/found_fault.h"
#include "report/verify/job_facts.h"
#include "report/verify/parameter_tracks.h"

namespace commtap {

/// Returns the parameters whose shards are all equal at the start, if most shards of their ranks are: drawn with one
/// seed. A few may be equal because their tensor repeats, as those of state space models do.
std::vector<FoundFault> shardFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
