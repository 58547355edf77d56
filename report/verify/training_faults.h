// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/verify/found_fault.h"

namespace commtap {

/// Returns the parameters that do not train: those whose values never change although they have gradients, and those of
/// an optimizer that never have a gradient. If these are all of the optimizer's, and none changes, they are a warning.
std::vector<FoundFault> trainingFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
