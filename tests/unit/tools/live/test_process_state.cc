// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/process_state.h"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace commtap {
namespace {

TEST_CASE("a process's state comes from /proc") {
  CHECK(processStateText(static_cast<uint64_t>(getpid())) == "runs");
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, WUNTRACED) == child);
  CHECK(processStateText(static_cast<uint64_t>(child)) == "is stopped");
  kill(child, SIGKILL);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  CHECK(processStateText(static_cast<uint64_t>(child)) == "has ended");
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(processStateText(static_cast<uint64_t>(child)) == "has ended");
}

} // namespace
} // namespace commtap
