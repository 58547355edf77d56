// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

  Ending run(const std::vector<std::string>& command, const std::vector<std::string>& environment);

  /// Discards pending signals that were meant for the command; later ones act on this process. Call after the command
  /// has ended.
  void release();

 private:
  struct Saved;

  std::unique_ptr<Saved> saved_;
};

/// Ends this process with the command's exit status or signal, without a core dump of this process.
[[noreturn]] void endAs(const Ending& ending);

} // namespace commtap
