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

} // namespace commtap
