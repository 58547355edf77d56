// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/process_state.h"

#include <sstream>

#include <fmt/format.h>

#include "report/base/text_file.h"

namespace commtap {

std::optional<ProcessSample> sampleOf(uint64_t pid) {
  const Result<std::string> stat = readTextFile(fmt::format("/proc/{}/stat", pid));
  // The program's name is in parentheses and may contain any character.
  const size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  if (!stat) {
    return std::nullopt;
  }
  ProcessSample sample;
  if (name_end != std::string::npos) {
    constexpr int kSkipped = 10; // from the parent's pid to the major faults of children
    std::istringstream fields(stat->substr(name_end + 1));
    std::string skipped;
    fields >> sample.state;
    for (int i = 0; i < kSkipped; ++i) {
      fields >> skipped;
    }
    uint64_t user = 0;
    uint64_t kernel = 0;
    fields >> user >> kernel;
    sample.cpu_ticks = user + kernel;
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
