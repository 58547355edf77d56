// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/process_state.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/proc_files.h"
#include "report/base/process.h"
#include "report/base/text_file.h"
#include "report/runs/output.h"

namespace commtap {
namespace {

/// A job with more child processes than this is not looked at further.
constexpr size_t kMostChildren = 256;

struct Stat {
  char state = '?';
  uint64_t ticks = 0;
  uint64_t ended_children_ticks = 0;
};

std::optional<Stat> statOf(uint64_t pid) {
  const std::vector<std::string> fields = statFields(pid);
  constexpr size_t kTicks = 11; // field 14: in user mode, in the kernel, then those of ended children
  if (fields.size() < kTicks + 4) {
    return std::nullopt;
  }
  const auto sum = [&fields](size_t place) {
    return std::strtoull(fields[place].c_str(), nullptr, 10) + std::strtoull(fields[place + 1].c_str(), nullptr, 10);
  };
  return Stat{fields[0][0], sum(kTicks), sum(kTicks + 2)};
}

/// Appends the child processes that the threads of a process have started.
void addChildren(uint64_t pid, std::vector<uint64_t>& children) {
  std::error_code error;
  std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid), error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    const Result<std::string> list = readTextFile(threads->path() / "children");
    std::istringstream pids(list ? *list : "");
    for (uint64_t child = 0; children.size() < kMostChildren && pids >> child;) {
      children.push_back(child);
    }
  }
}

std::vector<uint64_t> descendantsOf(uint64_t pid) {
  std::vector<uint64_t> found;
  addChildren(pid, found);
  for (size_t i = 0; i < found.size(); ++i) {
    addChildren(found[i], found);
  }
  return found;
}

} // namespace

std::optional<ProcessSample> sampleOf(uint64_t pid) {
  const std::optional<Stat> own = statOf(pid);
  if (!own) {
    return std::nullopt;
  }
  ProcessSample sample{own->state, own->ticks, own->ended_children_ticks};
  for (const uint64_t child : descendantsOf(pid)) {
    if (const std::optional<Stat> stat = statOf(child)) {
      sample.child_ticks += stat->ticks + stat->ended_children_ticks;
      sample.child_runs = sample.child_runs || stat->state == 'R';
    }
  }
  return sample;
}

std::string processStateText(const std::optional<ProcessSample>& sample) {
  if (!sample) {
    return "has ended";
  }
  const char state = sample->state;
  switch (state) {
    case 'R':
      return "runs";
    case 'S':
      return "sleeps";
    case 'D':
      return "waits for a device or a network file system";
    case 'T':
      return "is stopped";
    case 't':
      return "is stopped by a debugger";
    case 'Z':
    case 'X':
      return "has ended";
    default:
      return fmt::format("is in state {}", state);
  }
}

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 8;

/// Returns whether `path` is `folder` or in it. Neither needs to exist.
bool isIn(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(fs::absolute(path), error);
  const fs::path outer = fs::weakly_canonical(fs::absolute(folder), error);
  const fs::path up = inner.lexically_relative(outer);
  return !error && !up.empty() && *up.begin() != "..";
}

bool isLauncher(const std::string& name) {
  return name == "torchrun" || name == "pt_elastic"; // the name that torchrun gives itself
}

std::optional<StartedProcess> startedProcess(uint64_t pid, const std::string& folder, const std::string& proc) {
  const std::string environment = procText(pid, "environ", proc);
  const auto variable = [&environment](const char* name) { return initialVariable(environment, name).value_or(""); };
  if (!isPreloaded(environment) || variable("COMMTAP") == "0") {
    return std::nullopt;
  }
  const std::string pattern = variable("COMMTAP_OUT");
  const std::string out = commonFolder(pattern.empty() ? Options().out : pattern, variable("COMMTAP_RUN_ID"));
  std::error_code error;
  if (!isIn(fs::read_symlink(fmt::format("{}/{}/cwd", proc, pid), error) / out, folder)) {
    return std::nullopt;
  }
  std::string name = procText(pid, "comm", proc);
  name.resize(std::min(name.size(), name.find('\n')));
  const std::string rank = variable("RANK");
  const bool is_rank = isShortNumber(rank) && (name.starts_with("python") ||
                                               procText(pid, "maps", proc).find("/libtorch") != std::string::npos);
  if (!is_rank && !isLauncher(name)) {
    return std::nullopt; // a program around the ranks
  }
  return StartedProcess{.pid = pid, .rank = is_rank ? rank : "", .name = std::move(name)};
}

} // namespace

std::vector<StartedProcess> processesWritingTo(const std::string& folder, const std::string& proc) {
  std::vector<StartedProcess> found;
  for (const uint64_t pid : pidsIn(proc)) {
    if (std::optional<StartedProcess> process = startedProcess(pid, folder, proc)) {
      found.push_back(std::move(*process));
    }
  }
  std::sort(found.begin(), found.end(), [](const StartedProcess& a, const StartedProcess& b) {
    return std::make_tuple(a.rank.size(), a.rank, a.pid) < std::make_tuple(b.rank.size(), b.rank, b.pid);
  });
  const auto is_same = [](const StartedProcess& a, const StartedProcess& b) { return a.rank == b.rank; };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  if (found.size() > 1 && found.front().rank.empty()) {
    found.erase(found.begin());
  }
  return found;
}

std::vector<StartedProcess> startedAfter(std::vector<StartedProcess> processes, uint64_t after_ns) {
  std::erase_if(processes, [after_ns](const StartedProcess& process) {
    return processStartTimeNs(process.pid).value_or(0) <= after_ns;
  });
  return processes;
}

std::string startedText(const std::vector<StartedProcess>& processes) {
  const StartedProcess& first = processes.front();
  if (first.rank.empty()) {
    return fmt::format("{} (pid {}) has started no rank here: it may wait for other hosts", first.name, first.pid);
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(processes.size(), kMostNamed); ++i) {
    const StartedProcess& process = processes[i];
    names.push_back(fmt::format("rank {} ({}, pid {})", process.rank, process.name, process.pid));
  }
  if (processes.size() > kMostNamed) {
    names.push_back(fmt::format("{} more", processes.size() - kMostNamed));
  }
  return fmt::format(
      "{} of the newest job {} joined no process group: {} in the rendezvous",
      fmt::join(names, ", "),
      processes.size() == 1 ? "has" : "have",
      processes.size() == 1 ? "it starts, or waits" : "they start, or wait");
}

} // namespace commtap
