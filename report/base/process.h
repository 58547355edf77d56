// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace commtap {

/// A process, named for good: pids are reused, a pid with its start time on one boot of a machine is not.
struct ProcessIdentity {
  uint64_t pid = 0;
  uint64_t start_ticks = 0; ///< /proc/PID/stat field 22
  std::string boot_id;
};

/// This machine's boot and this process's pid namespace, from /proc; "" where there is none.
std::string bootId();

/// Start time in clock ticks since boot; nullopt if there is no such process.
std::optional<uint64_t> processStartTicks(uint64_t pid);

/// CLOCK_REALTIME at which the process started, in ns; nullopt if there is no such process.
std::optional<uint64_t> processStartTimeNs(uint64_t pid);

/// CLOCK_REALTIME at which what this process is a part of began, in ns: the start of the oldest of its ancestors that
/// lead to it with commtap preloaded, but at least of its parent. 0 if that is not known.
uint64_t runBeganNs();

/// False if the process is known to be gone. A process of another machine cannot be known.
bool mayBeRunning(const ProcessIdentity& process);

std::string hostName();

/// The command line of this process without the values of secrets, one element an argument.
std::string commandLineJson();

/// CLOCK_REALTIME in ns.
uint64_t wallClockNs();

} // namespace commtap
