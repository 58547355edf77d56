// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// Writes a process's report as `folder`/`name`.json, or under the name that chooseReportPath gives it; makes the
/// folders. Processes that end together take turns, so that none chooses a name that another is about to take.
/// `end_ns`, of a process that writes its own report: how long its end has taken so far. Asked when all is written, and
/// put into the file as own_cost.end_ns. The path, or one line with the system's reason.
Result<std::string> writeReportFile(
    const std::string& folder,
    const std::string& name,
    const Report& report,
    uint64_t run_began_ns,
    const std::function<uint64_t()>& end_ns = nullptr);

} // namespace commtap
