// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/process_state.h"

#include <fmt/format.h>

#include "report/base/text_file.h"

namespace commtap {

std::string processStateText(uint64_t pid) {
  const Result<std::string> stat = readTextFile(fmt::format("/proc/{}/stat", pid));
  if (!stat) {
    return "has ended";
  }
  // The program's name is in parentheses and may contain any character.
  const size_t name_end = stat->rfind(')');
  const char state = name_end == std::string::npos || name_end + 2 >= stat->size() ? '?' : (*stat)[name_end + 2];
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
