// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "report/model/rank_ranges.h"
#include "report/model/vocabulary.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// How the last attempt of a run ended. The first that holds for one of its processes.
enum class RunEnd : uint8_t {
  kRunning, ///< or on a machine that cannot be checked
  kKilled,  ///< by SIGKILL, or another signal that its report could not be written at
  kSignal,  ///< by a signal
  kFailed,  ///< with a status other than 0
  kNormal,
};
template <>
struct EnumNames<RunEnd> : Named<RunEnd> {
  static constexpr const char* kHelp =
      "How the last attempt ended, the first that holds for one of its processes. running: it has not ended, or is on "
      "a machine that cannot be checked. killed: by SIGKILL, or another signal at which no report could be written. "
      "signal: by another signal. failed: with a status other than 0; the launcher then ends the other processes, "
      "which does not count; or only the command of `commtap run` did. normal: none of these, or by a signal after the "
      "work had ended.";
  static constexpr auto kNames = std::to_array<std::string_view>({"running", "killed", "signal", "failed", "normal"});
};
inline constexpr auto runEndName = EnumNames<RunEnd>::name;

/// A run in a folder; of one that failed without a report, what `commtap run` noted. The amounts are sums over the
/// ranks of its last attempt.
struct ListedRun {
  std::string run_id;
  std::string name;                    ///< for people; "" if it has none
  std::vector<std::string> argv;       ///< command line of the first process; empty if its report has none
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME, of the first process
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME, of the last process; nullopt if one has no end
  uint64_t last_activity_ns = 0;       ///< CLOCK_REALTIME, of the last event
  int64_t attempts = 1;
  RankRanges ranks;                  ///< with a report
  RankRanges missing;                ///< without a report; empty if the world size is not known
  std::optional<int64_t> world_size; ///< nullopt if not known
  RunEnd end = RunEnd::kNormal;
  bool planned = false; ///< made by `commtap plan`
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t disk_bytes = 0; ///< of all attempts, with samples
};

/// The JSON of `commtap list`.
struct RunList {
  std::string schema = "commtap.list/1";
  std::vector<ListedRun> runs; ///< newest first
  uint64_t older = 0;          ///< runs that are left out
  std::vector<std::string> problems;
};

/// The runs that are listed without `--all`.
inline constexpr size_t kMostRuns = 20;

/// The runs to list.
struct RunFilter {
  size_t most = 0;       ///< the newest; 0: all
  uint64_t since_ns = 0; ///< CLOCK_REALTIME; those that started then or later
  bool failed = false;   ///< those that failed, were killed or got a signal
};

/// Reads runs at or below `folder`. Fails if nothing in it could be read.
Result<RunList> listRuns(const std::string& folder, const RunFilter& filter, const Progress& progress);

} // namespace commtap
