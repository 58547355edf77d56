// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/verify/found_fault.h"
#include "report/verify/job_facts.h"
#include "report/verify/parameter_tracks.h"

namespace commtap {

/// Returns the parameters that do not train: those whose values never change although they have gradients, and those of
/// an optimizer that never have a gradient.
std::vector<FoundFault> trainingFaults(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
