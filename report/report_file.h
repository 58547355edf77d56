// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/model.h"
#include "report/result.h"

namespace commtap {

/// Writes a process's report as `folder`/`name`.json, or under the name that chooseReportPath gives it; makes the
/// folders. Processes that end together take turns, so that none chooses a name that another is about to take.
/// The path, or one line with the system's reason.
Result<std::string>
writeReportFile(const std::string& folder, const std::string& name, const Report& report, uint64_t run_began_ns);

} // namespace commtap
