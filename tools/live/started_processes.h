// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commtap {

/// A process of this machine with commtap preloaded that was started as a rank, or as torchrun.
struct StartedProcess {
  uint64_t pid = 0;
  std::string rank; ///< the RANK that it was started with; "" for torchrun
  std::string name; ///< of /proc/PID/comm
};

/// Returns the processes that are to write to `folder` or a folder in it: of each RANK the one of the lowest pid, which
/// started the others; if there is none, torchrun's. Without a report or ledger of theirs in it, they have joined no
/// process group, or their output went elsewhere. A process of another user is not seen. `proc` is /proc, or a folder
/// of that form.
std::vector<StartedProcess> processesWritingTo(const std::string& folder, const std::string& proc = "/proc");

/// Returns those that started after `after_ns`, of CLOCK_REALTIME.
std::vector<StartedProcess> startedAfter(std::vector<StartedProcess> processes, uint64_t after_ns);

/// Returns "rank 0 (python, pid 4102) of the newest job has joined no process group: ..." for at least one process.
std::string startedText(const std::vector<StartedProcess>& processes);

} // namespace commtap
