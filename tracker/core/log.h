// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/model/options.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

// This header uses plain strings: spdlog's fmt and torch's fmt must never meet in one translation unit.

/// Starts the log. Lines go to stderr as "[commtap rank 3] warning: ...". `who` is "rank 3" or "pid 4711".
void startLog(LogLevel level, const std::string& who);

void logWarning(const std::string& message);
void logInfo(const std::string& message);
void logDebug(const std::string& message);

ForkLock logForkLock();

} // namespace commtap
