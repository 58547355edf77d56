// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tools/run/environment.h"

namespace commtap {

/// How a child process ended and what it wrote.
struct ChildOutcome {
  int wait_status = 0;
  bool timed_out = false;
  std::string out; ///< up to kMaxChildOutput
  std::string err;

  bool succeeded() const {
    return !timed_out && wait_status == 0;
  }
};

inline constexpr size_t kMaxChildOutput = size_t{1} << 20U; ///< bytes of each stream

/// Runs a command with stdin from /dev/null until it exits or `limit` has passed. Then ends whatever is left of its
/// process group. A command that cannot be started exits with 127 and has the reason in `err`.
ChildOutcome
runChild(const std::vector<std::string>& command, const Environment& environment, std::chrono::milliseconds limit);

/// Returns the last line of `text` that is not blank, "" if there is none: the message of a Python traceback.
std::string lastLine(const std::string& text);

} // namespace commtap
