// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/runs/report_scan.h"
#include "tools/doctor/diagnosis.h"

namespace commtap {

/// Runs all checks for a command, in the order of DoctorCheck. `variables` has the form of `environ`. Looks for commtap
/// relative to `executable_folder`. Calls `progress` between checks that take long.
std::vector<Diagnosis> examine(
    const std::vector<std::string>& command,
    const char* const* variables,
    const std::string& executable_folder,
    const Progress& progress);

} // namespace commtap
