// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// How a command ended, and what it wrote to stdout.
struct ShellResult {
  int status = -1; ///< exit status; 128 + the signal's number; -1: it could not be started
  std::string output;
};

/// Runs a command by `sh -c`, with `input` on its stdin, and waits for it. Its stderr is this process's. Blocked
/// signals are not blocked in it.
ShellResult runShell(const std::string& command, const std::string& input);

} // namespace commtap
