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

TEST_CASE("a sample has the ticks of child processes, also of one that has ended") {
  const uint64_t before = sampleOf(static_cast<uint64_t>(getpid()))->child_ticks;
  const pid_t child = fork();
  if (child == 0) {
    for (;;) {
      getppid(); // computes, in the kernel
    }
  }
  const auto sampleUntil = [](const auto& isEnough) {
    ProcessSample sample = *sampleOf(static_cast<uint64_t>(getpid()));
    while (!isEnough(sample)) {
      sample = *sampleOf(static_cast<uint64_t>(getpid()));
    }
    return sample;
  };
  const ProcessSample running =
      sampleUntil([before](const ProcessSample& sample) { return sample.child_ticks >= before + 5; });
  CHECK(running.child_runs);
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const ProcessSample ended = *sampleOf(static_cast<uint64_t>(getpid()));
  CHECK(ended.child_ticks >= running.child_ticks);
  CHECK_FALSE(ended.child_runs);
}

} // namespace
} // namespace commtap
