// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace commtap {

/// How a command ended.
struct Ending {
  int wait_status = 0; ///< as from waitpid
  int exec_error = 0;  ///< errno if the command could not be started at all
};

/// Keeps this process alive while its command runs in the same process group and on the same terminal: what the
/// terminal sends reaches both, what is sent to this process alone is passed on.
class Launcher {
 public:
  /// From here on signals wait for run(); the command gets the signal mask and dispositions that were before.
  Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  Ending run(const std::vector<std::string>& command, const std::vector<std::string>& environment);

  /// The command has ended: signals meant for it are dropped, later ones act on this process again.
  void release();

 private:
  struct Saved;

  std::unique_ptr<Saved> saved_;
};

/// Ends this process as the command ended: the same exit status, or the same signal (without a core dump of ours).
[[noreturn]] void endAs(const Ending& ending);

} // namespace commtap
