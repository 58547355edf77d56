// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracker/core/fork_locks.h"

namespace commtap {

/// Returns "" if the variable is not set.
std::string environmentText(const char* name);

/// Returns -1 if the variable is not set or not a number >= 0.
int64_t environmentNumber(const char* name);

/// The variables that a launcher sets for each rank, and that a forked child may set for itself.
struct RankEnvironment {
  static RankEnvironment now();

  int64_t rank = -1;       ///< RANK; -1 if it is not set or not a number >= 0
  int64_t local_rank = -1; ///< LOCAL_RANK, the same
  int64_t world_size = -1; ///< WORLD_SIZE, the same
  std::string out;         ///< COMMTAP_OUT; "" if it is not set
};

/// Returns an id that all processes of a run share, as far as the launcher's environment shows. A launcher may give it
/// to several runs: see RunFolder.
std::string launchedRunId(const std::string& host);

/// Returns the name that Weights & Biases' settings or Slurm give the run; "" without one.
std::string launchedName();

/// Returns a NUL-terminated copy of `text` that stays valid until the process ends. Keeps each distinct text once and
/// never frees it: use it for names, whose number is bounded.
const char* lastingText(std::string_view text);

ForkLock lastingTextForkLock();

} // namespace commtap
