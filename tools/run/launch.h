// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace commtap {

/// The outcome of a command.
struct Ending {
  int wait_status = 0; ///< status from waitpid()
  int exec_error = 0;  ///< errno if exec failed
};

/// Keeps this process alive while its command runs in the same process group on the same terminal. The terminal signals
/// both processes; the launcher relays signals sent to this process alone.
class Launcher {
 public:
  /// Blocks signals until run(). The command gets the signal mask and dispositions from before the constructor.
  Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  /// Looks at the command's processes. Must not throw.
  using Look = std::function<void()>;

  /// `look`, if there is one, runs twice a second until the command has ended.
  Ending
  run(const std::vector<std::string>& command, const std::vector<std::string>& environment, const Look& look = {});

  /// Discards pending signals that were meant for the command; later ones act on this process. Call after the command
  /// has ended.
  void release();

 private:
  struct Saved;

  std::unique_ptr<Saved> saved_;
};

/// Ends this process with the command's exit status or signal, without a core dump of this process.
[[noreturn]] void endAs(const Ending& ending);

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
