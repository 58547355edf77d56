// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/model/options.h"

namespace commtap {

/// Writes a process's report as `folder`/`name`.json, with the ending of its compression, or under the name of
/// chooseReportPath(). Creates the folders. Replaces only the process's own report. Processes that exit together take
/// turns, so that few choose one name.
/// `end_ns`, for a process that writes its own report, returns how long its exit has taken so far. It is called after
/// all rows but the last kReportPiece bytes are written, and sets own_cost.end_ns in the file. Returns the path, or one
/// line with the system's reason.
Result<std::string> writeReportFile(
    const std::string& folder,
    const std::string& name,
    const Report& report,
    Compress compress = Compress::kOff,
    const std::function<uint64_t()>& end_ns = nullptr);

} // namespace commtap
