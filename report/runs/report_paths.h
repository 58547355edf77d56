// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Returns whether a path's name may be a report's or ledger's.
bool isReportName(const std::string& path);

/// Returns every file below a folder whose name is `wanted`, sorted; for a file, its path. A folder that cannot be
/// listed completely is a problem.
std::vector<std::string> filesBelow(
    const std::string& path,
    const std::function<bool(const std::string& path)>& wanted,
    std::vector<std::string>& problems);

/// Returns every file below a folder whose name may be a report's or ledger's, sorted; for a file, its path. A folder
/// that cannot be listed completely is a problem.
std::vector<std::string> reportPaths(const std::string& path, std::vector<std::string>& problems);

/// Returns whether a file no longer exists: an exiting process replaces its ledger with a report.
bool vanished(const std::string& path);

/// Identifies a process wherever its files are: run, attempt, host, pid and start.
using ProcessKey = std::tuple<std::string, int64_t, std::string, uint64_t, uint64_t>;
ProcessKey processKeyOf(const Job& job);

/// Returns the paths that may hold the report of a ledger that was deleted.
std::vector<std::string> placesAfter(const std::string& ledger_path, const Job& job);

} // namespace commtap
