// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/verify/found_fault.h"

namespace commtap {

/// Returns the parameters whose shards are all equal at the start, if most shards of their ranks are: drawn with one
/// seed. A few may be equal because their tensor repeats, as those of state space models do.
std::vector<FoundFault> shardFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
