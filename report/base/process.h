// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace commtap {

/// Identifies a process uniquely. A pid can be reused; a pid with its start time and boot ID cannot.
struct ProcessIdentity {
  uint64_t pid = 0;
  uint64_t start_ticks = 0; ///< /proc/PID/stat field 22
  std::string boot_id;
};

/// The longest time in which a job is being ended, in ns: launchers and schedulers wait for 30 s from SIGTERM to
/// SIGKILL.
inline constexpr uint64_t kEndingNs = 60'000'000'000;

/// By how much the clocks of the hosts of a job may differ, in ns.
inline constexpr uint64_t kClocksNs = 1'000'000'000;

/// Returns the machine's boot ID and this process's pid namespace, from /proc; "" if /proc does not have them.
std::string bootId();

/// Returns the start time in clock ticks since boot; nullopt if there is no such process.
std::optional<uint64_t> processStartTicks(uint64_t pid);

/// Returns the CLOCK_REALTIME at which the process started, in ns; nullopt if there is no such process.
std::optional<uint64_t> processStartTimeNs(uint64_t pid);

/// Returns the value of a variable in the content of a /proc/PID/environ: what the process was started with. Returns
/// nullopt if there is none of that name.
std::optional<std::string> initialVariable(const std::string& environment, const std::string& name);

/// Returns whether commtap was preloaded into a process that was started with this environment.
bool isPreloaded(const std::string& environment);

/// Returns the CLOCK_REALTIME at which the run of this process began, in ns; 0 if unknown. That is the start of the
/// oldest process in the unbroken chain of this process and its ancestors with commtap preloaded. The chain of a rank
/// of torchrun ends with torchrun's process: a script may start several.
uint64_t runBeganNs();

/// Returns false if the process has certainly ended. Returns true for a process of another machine or pid namespace.
bool mayBeRunning(const ProcessIdentity& process);

std::string hostName();

/// Returns this process's command line as a JSON list, one element per argument, with the values of secrets replaced.
std::string commandLineJson();

/// Returns the same of an interpreter that has `arguments` instead of those that it was started with.
std::string commandLineJson(const std::vector<std::string>& arguments);

/// Returns CLOCK_REALTIME in ns.
uint64_t wallClockNs();

/// `ulimit -v` leaves little if it leaves less than this many bytes: the job may need all of it.
inline constexpr uint64_t kLittleAddressSpace = 8ULL << 30U;

/// Returns how many bytes of address space `ulimit -v` leaves to this process; nullopt if there is no limit.
std::optional<uint64_t> addressSpaceLeft();

} // namespace commtap
