// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the plan of `steps` steps. `before` is `plan` without its last step: each further step adds what that one
/// added. Modules and times stay those of `plan`; its further steps are one row without amounts.
JobReport planOfSteps(const JobReport& plan, const JobReport& before, uint64_t steps);

} // namespace commtap
