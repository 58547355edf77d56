// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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

/// A run with files in a folder.
struct FoundRun {
  std::string run_id;
  uint64_t started_at_ns = 0; ///< CLOCK_REALTIME, start of the last process to start
  std::string name = {};      ///< for people; "" if it has none
};

/// Returns the runs that `text`, written by a user, may mean, in the order of `runs`: the run with this id, else the
/// runs with this name, else those with an id that has `text` in it.
std::vector<FoundRun> runsMeant(const std::vector<FoundRun>& runs, const std::string& text);

/// Returns one line for a `text` that means none of `runs`, or several.
std::string notOneRun(const std::vector<FoundRun>& runs, const std::string& text);

/// How the names of samples files end: those of `commtap verify`, next to the reports.
inline constexpr std::string_view kSamplesEnding = ".samples";

/// Returns every samples file below a folder, sorted; for a file, its path. A folder that cannot be listed completely
/// is a problem.
std::vector<std::string> samplesPaths(const std::string& path, std::vector<std::string>& problems);

} // namespace commtap
