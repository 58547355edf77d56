// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace commtap {

/// A `commtap serve` next to the command of `commtap run`. It ends with this process, however that ends.
class ServeProcess {
 public:
  /// Starts `executable` with these arguments. Call before Launcher blocks signals. If it cannot serve, it says so
  /// itself, and the command runs without it.
  ServeProcess(const std::string& executable, const std::vector<std::string>& arguments);
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;
  /// Ends it; waits for its last answers for some seconds.
  ~ServeProcess();

 private:
  pid_t child_;
};

} // namespace commtap
