// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "report/job/job_report.h"

namespace commtap {

/// Returns whether the row moves a few elements only, as of a loss that a module reduces for its log.
bool isMetric(const JobCollective& row);

/// Returns whether the parameter or module is the module's, or that of a module below it.
bool isBelow(std::string_view name, std::string_view module);

} // namespace commtap
