// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/job/job_report.h"

namespace commtap {

/// Gives the modules of a commtap.job/1 report their names of commtap.job/2, and notes which in `renamed`.
void upgradeNames(JobReport& job);

} // namespace commtap
