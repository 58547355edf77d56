// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the number of training steps of a job: those that communicated, or were followed by one that did.
uint64_t stepsOf(const JobReport& job);

/// Returns the plan of `steps` steps. `plan` has at least two; `first` has the first of them and what came before it.
/// Each further step has the mean of the others. Steps, modules and times stay those of `plan`.
JobReport planOfSteps(const JobReport& plan, const JobReport& first, uint64_t steps);

} // namespace commtap
