// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/process_state.h"

#include <array>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "report/base/text_file.h"

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
  const Result<std::string> text = readTextFile(fmt::format("/proc/{}/stat", pid));
  if (!text) {
    return std::nullopt;
  }
  Stat stat;
  // The program's name is in parentheses and may contain any character.
  if (const size_t name_end = text->rfind(')'); name_end != std::string::npos) {
    constexpr int kSkipped = 10; // from the parent's pid to the major faults of children
    std::istringstream fields(text->substr(name_end + 1));
    std::string skipped;
    fields >> stat.state;
    for (int i = 0; i < kSkipped; ++i) {
      fields >> skipped;
    }
    std::array<uint64_t, 4> ticks = {}; // user and kernel, then those of ended children
    for (uint64_t& each : ticks) {
      fields >> each;
    }
    stat.ticks = ticks[0] + ticks[1];
    stat.ended_children_ticks = ticks[2] + ticks[3];
  }
  return stat;
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

std::string processStateText(uint64_t pid) {
  return processStateText(sampleOf(pid));
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

} // namespace commtap
