// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/job_processes.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/proc_files.h"
#include "report/base/process.h"
#include "tools/text/text.h"

namespace commtap {

MissedProcesses::MissedProcesses(uint64_t root, std::string proc) : root_(root), proc_(std::move(proc)) {}

bool MissedProcesses::isMissed(uint64_t pid, const std::map<uint64_t, uint64_t>& parents) const {
  constexpr int kMostAncestors = 100; // more only if a pid was reused
  uint64_t ancestor = pid;
  for (int i = 0; i < kMostAncestors && ancestor != root_ && ancestor > 0; ++i) {
    const auto found = parents.find(ancestor);
    ancestor = found == parents.end() ? 0 : found->second;
  }
  if (pid == root_ || ancestor != root_ || isPreloaded(procText(pid, "environ", proc_))) {
    return false;
  }
  const std::string maps = procText(pid, "maps", proc_);
  return maps.find("/libtorch_cpu.so") != std::string::npos && maps.find("libcommtap") == std::string::npos;
}

void MissedProcesses::look(uint64_t now_ns) {
  // A helper may load torch for a moment, and a process has the maps of its parent until it executes its program.
  constexpr uint64_t kLongerThanNs = 1'000'000'000;
  constexpr size_t kColumns = 100;
  std::map<uint64_t, uint64_t> parents;
  for (const uint64_t pid : pidsIn(proc_)) {
    parents[pid] = statNumber(pid, 4, proc_).value_or(0);
  }
  for (const auto& [pid, parent] : parents) {
    if (!isMissed(pid, parents)) {
      continue;
    }
    const Process process = {pid, statNumber(pid, 22, proc_).value_or(0)};
    uint64_t& seen_ns = seen_ns_.try_emplace(process, now_ns).first->second;
    if (seen_ns != 0 && now_ns - seen_ns >= kLongerThanNs) {
      seen_ns = 0;
      const std::string command = fmt::format("{}", fmt::join(argumentsIn(procText(pid, "cmdline", proc_)), " "));
      found_.push_back(fmt::format("pid {}, {}", pid, shorten(inert(command), kColumns)));
    }
  }
}

std::vector<uint64_t> processesOfRun(const std::string& run_id, const std::string& proc) {
  std::vector<uint64_t> pids = pidsIn(proc);
  std::erase_if(pids, [&](uint64_t pid) {
    const std::string environment = procText(pid, "environ", proc);
    return pid == static_cast<uint64_t>(getpid()) || !isPreloaded(environment) ||
           initialVariable(environment, "COMMTAP_RUN_ID") != run_id;
  });
  return pids;
}

} // namespace commtap
