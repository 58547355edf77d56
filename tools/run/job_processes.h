// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace commtap {

/// Watches the descendants of a process for those that load torch and not commtap: they were started with another
/// LD_PRELOAD, or none, and nothing of theirs is counted. Only reads /proc. A process that was adopted by another one,
/// and one that lives for less than about a second with torch, is not seen. `proc` is /proc, or a folder of that form.
class MissedProcesses {
 public:
  explicit MissedProcesses(uint64_t root, std::string proc = "/proc");

  /// `now_ns`: steady clock time.
  void look(uint64_t now_ns);

  /// Returns the processes seen so far, such as "pid 4102, python train.py".
  const std::vector<std::string>& found() const {
    return found_;
  }

 private:
  using Process = std::pair<uint64_t, uint64_t>; ///< pid and start time: a pid can be reused

  bool isMissed(uint64_t pid, const std::map<uint64_t, uint64_t>& parents) const;

  uint64_t root_;
  std::string proc_;
  std::map<Process, uint64_t> seen_ns_; ///< when a process was first seen with torch; 0: it is in `found_`
  std::vector<std::string> found_;
};

/// Returns the pids of other processes that were started with commtap preloaded and this COMMTAP_RUN_ID.
std::vector<uint64_t> processesOfRun(const std::string& run_id, const std::string& proc = "/proc");

} // namespace commtap
