// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace commtap {

/// A process of this machine at one moment, from /proc.
struct ProcessSample {
  char state = '?';         ///< the letter of /proc/PID/stat
  uint64_t cpu_ticks = 0;   ///< of all threads, in user code and in the kernel
  uint64_t child_ticks = 0; ///< of its child processes and theirs, those that ended and were waited for included
  bool child_runs = false;  ///< one of them runs, or waits for a processor
};

/// Returns nullopt if there is no such process. Looks at its child processes, too, if the kernel lists them.
std::optional<ProcessSample> sampleOf(uint64_t pid);

/// Returns the state in words: "sleeps", "is stopped"; "has ended" for no process.
std::string processStateText(const std::optional<ProcessSample>& sample);

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
