// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the number of training steps of a job's longest rank. A step that no rank has completed counts only if it
/// communicated: a plan ends where its next step begins, and so does a loop that marks its steps.
uint64_t stepsOf(const JobReport& job);

} // namespace commtap
