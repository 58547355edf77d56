// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/shell_command.h"

#include <doctest/doctest.h>

#include <csignal>

#include "tools/live/end_signals.h"

namespace commtap {
namespace {

TEST_CASE("a command gets its input, and returns its output and status") {
  const ShellResult result = runShell("cat; echo; exit 3", "some text");
  CHECK(result.status == 3);
  CHECK(result.output == "some text\n");
  CHECK(runShell("no-such-command-anywhere 2>/dev/null", "").status == 127);
  CHECK(runShell("kill -9 $$", "").status == 128 + SIGKILL);
}

TEST_CASE("a command that does not read its input does not block") {
  CHECK(runShell("true", std::string(1U << 20U, 'x')).status == 0);
}

TEST_CASE("signals that a watch blocks are not blocked in a command") {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  blockEndSignals();
  CHECK(runShell("kill -TERM $$; exit 0", "").status == 128 + SIGTERM);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace
} // namespace commtap
