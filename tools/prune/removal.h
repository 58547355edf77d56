// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/prune/stored_run.h"

namespace commtap {

/// The rule for runs to keep.
struct Retention {
  std::optional<uint64_t> keep_ns = {};   ///< runs that changed within this time
  std::optional<uint64_t> max_bytes = {}; ///< of all runs together
};

/// A run that changed within this time is never removed: between two attempts of a job none of its processes runs.
inline constexpr uint64_t kJustChangedNs = 3600ULL * 1'000'000'000; ///< nanoseconds

/// The runs to remove.
struct PrunePlan {
  std::vector<StoredRun> removed;
  uint64_t kept_runs = 0;
  uint64_t kept_bytes = 0;
  std::vector<std::string> with_ledgers; ///< runs that stay only because they have ledgers
  std::vector<std::string> just_changed; ///< runs that stay only because they changed within kJustChangedNs
  std::vector<std::string> undecided;    ///< runs that stay only because a ledger that cannot be read may be theirs
};

/// Plans by age first, then removes the oldest until the rest is small enough. `runs`: oldest first. `now_ns`:
/// CLOCK_REALTIME.
PrunePlan planPrune(std::vector<StoredRun> runs, const Retention& retention, uint64_t now_ns);

/// The outcome for a run's files.
struct Removal {
  size_t files = 0;                  ///< deleted
  uint64_t bytes = 0;                ///< of those
  size_t kept_files = 0;             ///< those with a problem, and those that were written since the run was found
  uint64_t kept_bytes = 0;           ///< of those
  std::vector<std::string> problems; ///< a line for each file that stays because it cannot be judged or deleted
};

/// Deletes the reports and samples of a run, and the folders below `root` that this leaves empty. Reads each file
/// completely before: what is not a whole report, or holds more, stays. Leaves a file alone that was written since the
/// run was found. Deletes no other file if paths are renamed or linked at that time. `is_dry_run`: only judges.
Removal removeRun(const StoredRun& run, const std::string& root, bool is_dry_run);

} // namespace commtap
