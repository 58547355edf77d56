// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace commtap {

/// The wait status of a child process, and its output to stderr.
struct ChildResult {
  int status; ///< of waitpid()
  std::string said;
};

/// Runs `body` in a child, which then exits with 0. For tests that end a process or change its state permanently.
ChildResult runInChild(const std::function<void()>& body);

/// Checks a condition in a forked child, which keeps this process's state: for one that changes it permanently.
void checkInChild(const std::function<bool()>& holds);

/// Writes a line to stderr, where runInChild() collects it.
void sayLine(const std::string& line);

} // namespace commtap
