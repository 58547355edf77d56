// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/pager.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tools/command/job_program.h"

namespace commtap {
namespace {

constexpr int kNotFound = 127; ///< of a shell that cannot start its command

} // namespace

std::string pagerCommand(bool is_terminal) {
  if (!is_terminal) {
    return "";
  }
  if (const char* chosen = std::getenv("PAGER"); chosen != nullptr) {
    return chosen;
  }
  return findOnPath("less", Environment(environ)).empty() ? "" : "less";
}

bool showInPager(const std::string& command, const std::string& text) {
  // As git does: a text that fits on the screen is printed, colours are kept.
  setenv("LESS", "FRX", 0);
  std::fflush(stdout);
  auto* const before = std::signal(SIGPIPE, SIG_IGN); // the user may leave the pager before its end
  // $PAGER is a command with arguments, by the user's own choice.
  // NOLINTNEXTLINE(bugprone-command-processor)
  FILE* pager = popen(command.c_str(), "w");
  if (pager != nullptr) {
    std::fwrite(text.data(), 1, text.size(), pager);
  }
  const int status = pager == nullptr ? -1 : pclose(pager);
  std::signal(SIGPIPE, before);
  return status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) == kNotFound);
}

} // namespace commtap
