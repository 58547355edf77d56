// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/verify/found_fault.h"

namespace commtap {

/// Returns the ranks that are at other collectives of a group than the others at the same step, as after a step that
/// they skipped; and those whose last sample is of an earlier step.
std::vector<FoundFault> stepFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
