// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commtap {

/// A process of this machine with commtap preloaded that has torch in memory.
struct StartedProcess {
  uint64_t pid = 0;
  std::string rank; ///< the RANK that it was started with; "" if it had none, as the launcher
  std::string name; ///< of /proc/PID/comm
};

/// Returns the processes that are to write to `folder` or a folder in it, by pid, launchers after ranks. Without a
/// report or ledger of theirs in it, they have joined no process group, or their output went elsewhere. A process of
/// another user is not seen. `proc` is /proc, or a folder of that form.
std::vector<StartedProcess> processesWritingTo(const std::string& folder, const std::string& proc = "/proc");

/// Returns "nothing in out yet from rank 0 (python, pid 4102), torchrun (pid 4100): ..."; "" if there are no processes.
std::string startedText(const std::vector<StartedProcess>& processes, const std::string& folder);

} // namespace commtap
