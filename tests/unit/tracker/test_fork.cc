// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/torch_doctest.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/launch_environment.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

void countForked() {
  CollectiveKey key{};
  key.op = ProcessLedger::ledger().intern("test.forked");
  key.group = kNoIndex;
  ProcessLedger::ledger().count(*ProcessLedger::ledger().row(key), {1, 8});
}

TEST_CASE_FIXTURE(TrackerFixture, "a forked child counts from zero, and its parent goes on") {
  const auto sayCalls = [this] {
    uint64_t calls = 0;
    for (const Collective& row : rows("test.forked")) {
      calls += row.count;
    }
    sayLine(std::to_string(calls));
  };
  const ChildResult parent = runInTrackedChild([&] {
    watchForks();
    countForked();
    const ChildResult child = runInChild([&] {
      sayCalls();
      countForked();
      sayCalls();
    });
    sayLine("child: " + child.said);
    countForked();
    sayCalls();
  });
  CHECK(parent.said == "child: 0\n1\n\n2\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a fork leaves errno, and the tracker's locks free, in both processes") {
  const ChildResult parent = runInTrackedChild([] {
    watchForks();
    errno = ENOENT;
    const pid_t child = fork();
    const bool is_kept = errno == ENOENT;
    if (child > 0) {
      waitpid(child, nullptr, 0);
    }
    lastingText("a text that needs the lock");
    sayLine(is_kept ? "kept" : "changed");
  });
  CHECK(parent.said == "kept\nkept\n");
}

} // namespace
} // namespace commtap
