// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/verify/found_fault.h"

namespace commtap {

/// Returns what the rows of the reports show: reductions that stop, and, as notes, modules that are trained and
/// communicate in the forward only, and gradients that are reduced in groups of one rank.
std::vector<FoundFault> rowFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
