// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commtap {

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

} // namespace commtap
