// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/job_look.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/child.h"

namespace commtap {
namespace {

TEST_CASE("blocked signals wait for sigwait(), and do not end the process") {
  const ChildResult child = runInChild([] {
    const sigset_t signals = blockEndSignals();
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGINT);
    for (int i = 0; i < 2; ++i) {
      int signal = 0;
      sigwait(&signals, &signal);
      sayLine(signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : "another");
    }
  });
  CHECK(WIFEXITED(child.status));
  CHECK(child.said == "SIGINT\nSIGTERM\n");
}

TEST_CASE("a command with nothing to finish ends at a signal with status 0") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const ChildResult child = runInChild([signal] {
      endAtSignals();
      kill(getpid(), signal);
      _exit(1);
    });
    CHECK(child.status == 0);
  }
}

} // namespace
} // namespace commtap
