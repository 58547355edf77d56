// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/prune/stored_run.h"

namespace commtap {

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
