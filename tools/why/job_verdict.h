// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/hang/verdict.h"
#include "tools/live/job_look.h"

namespace commtap {

/// Seconds that ranks which may still come must be without an event, unless the user says otherwise.
inline constexpr double kDefaultPatienceS = 60;

/// Returns why the newest job in `now` hangs. Its status is HangStatus::kUnknown if there is no process with a rank.
Verdict verdictOf(const EarlierLook& before, const JobLook& now, double patience_s);

} // namespace commtap
