// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the number of training steps of a job: those that communicated, or were followed by one that did.
uint64_t stepsOf(const JobReport& job);

/// Returns the plan of `steps` steps. `before` is `plan` without its last step: each further step adds what that one
/// added. Steps, modules and times stay those of `plan`.
JobReport planOfSteps(const JobReport& plan, const JobReport& before, uint64_t steps);

} // namespace commtap
