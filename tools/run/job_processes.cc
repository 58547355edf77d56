// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/job_processes.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/process.h"
#include "report/base/redaction.h"
#include "report/base/text_file.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// A helper may load torch for a moment, and a process has the maps of its parent until it executes its program.
constexpr uint64_t kLongerThanNs = 1'000'000'000;

std::string procText(const std::string& proc, uint64_t pid, const char* file) {
  const Result<std::string> text = readTextFile(fmt::format("{}/{}/{}", proc, pid, file));
  return text ? *text : "";
}

std::vector<uint64_t> pidsIn(const std::string& proc) {
  std::vector<uint64_t> pids;
  std::error_code error;
  for (fs::directory_iterator entry(proc, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos && name.size() < 10) {
      pids.push_back(std::stoull(name));
    }
  }
  return pids;
}

struct ProcessStat {
  uint64_t parent = 0;
  uint64_t start_ticks = 0;
};

ProcessStat processStat(const std::string& proc, uint64_t pid) {
  constexpr int kToStart = 17; // from field 5 to field 21
  const std::string text = procText(proc, pid, "stat");
  ProcessStat stat;
  std::string skipped;
  std::istringstream fields(text.substr(std::min(text.rfind(')'), text.size() - 1) + 1)); // the name may have blanks
  fields >> skipped >> stat.parent;
  for (int i = 0; i < kToStart; ++i) {
    fields >> skipped;
  }
  fields >> stat.start_ticks;
  return stat;
}

std::string describedProcess(const std::string& proc, uint64_t pid) {
  constexpr size_t kColumns = 100;
  std::vector<std::string> words;
  std::istringstream line(procText(proc, pid, "cmdline"));
  for (std::string word; std::getline(line, word, '\0');) {
    words.push_back(word);
  }
  const std::string command = fmt::format("{}", fmt::join(withoutSecrets(std::move(words)), " "));
  return fmt::format("pid {}, {}", pid, shorten(inert(command), kColumns));
}

} // namespace

MissedProcesses::MissedProcesses(uint64_t root, std::string proc) : root_(root), proc_(std::move(proc)) {}

bool MissedProcesses::isMissed(uint64_t pid) {
  if (isPreloaded(procText(proc_, pid, "environ"))) {
    return false;
  }
  const std::string maps = procText(proc_, pid, "maps");
  return maps.find("/libtorch_cpu.so") != std::string::npos && maps.find("libcommtap") == std::string::npos;
}

void MissedProcesses::look(uint64_t now_ns) {
  std::map<uint64_t, ProcessStat> stats;
  for (const uint64_t pid : pidsIn(proc_)) {
    stats.emplace(pid, processStat(proc_, pid));
  }
  const auto isDescendant = [&](uint64_t pid) {
    for (size_t depth = 0; depth < stats.size(); ++depth) { // else a pid was reused while the folder was read
      const auto stat = stats.find(pid);
      pid = stat == stats.end() ? 0 : stat->second.parent;
      if (pid == 0 || pid == root_) {
        return pid == root_;
      }
    }
    return false;
  };
  for (const auto& [pid, stat] : stats) {
    if (!isDescendant(pid) || !isMissed(pid)) {
      continue;
    }
    uint64_t& seen_ns = seen_ns_.try_emplace({pid, stat.start_ticks}, now_ns).first->second;
    if (seen_ns != 0 && now_ns - seen_ns >= kLongerThanNs) {
      seen_ns = 0;
      found_.push_back(describedProcess(proc_, pid));
    }
  }
}

std::vector<uint64_t> processesOfRun(const std::string& run_id, const std::string& proc) {
  std::vector<uint64_t> pids = pidsIn(proc);
  std::erase_if(pids, [&](uint64_t pid) {
    const std::string environment = procText(proc, pid, "environ");
    return pid == static_cast<uint64_t>(getpid()) || !isPreloaded(environment) ||
           initialVariable(environment, "COMMTAP_RUN_ID") != run_id;
  });
  std::sort(pids.begin(), pids.end());
  return pids;
}

} // namespace commtap
