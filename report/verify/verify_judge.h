// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "report/replicas/job_facts.h"
#include "report/samples/samples.h"
#include "report/verify/verification.h"

namespace commtap {

/// Returns what the samples of a run's ranks show, except for the texts and `problems`. Takes of each rank the process
/// with the most samples.
Verification verify(std::span<const ProcessSamples> processes, const JobFacts& facts);

} // namespace commtap
