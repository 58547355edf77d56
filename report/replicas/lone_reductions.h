// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"

namespace commtap {

/// Returns the group of one rank in which a job of several ranks reduces its gradients, if these ranks communicate in
/// no other way after set-up; else "".
std::string loneReductions(const JobReport& job);

} // namespace commtap
