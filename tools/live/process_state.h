// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

/// Returns the state of a process of this machine from /proc, in words: "sleeps", "is stopped", "has ended".
std::string processStateText(uint64_t pid);
std::string processStateText(const std::optional<ProcessSample>& sample);

} // namespace commtap
