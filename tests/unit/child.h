// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace commtap {

/// How a child process ended, and what it wrote to stderr.
struct ChildResult {
  int status; ///< as waitpid() gives it
  std::string said;
};

/// Runs `body` in a child, which then exits with 0: for tests that end a process, or change its state for ever.
ChildResult runInChild(const std::function<void()>& body);

/// Writes a line to stderr, where runInChild() collects it.
void sayLine(const std::string& line);

} // namespace commtap
