// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/log.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include "tests/unit/child.h"

namespace commtap {
namespace {

/// Returns what a process of this level writes for one message of each kind.
std::string linesAt(LogLevel level) {
  return runInChild([level] {
           startLog(level, "rank 3");
           logWarning("first");
           logInfo("second");
           logDebug("third");
         })
      .said;
}

TEST_CASE("a level has the lines of those above it, each with the process") {
  CHECK(linesAt(LogLevel::kOff).empty());
  CHECK(linesAt(LogLevel::kError).empty());
  CHECK(linesAt(LogLevel::kWarning) == "[commtap rank 3] warning: first\n");
  CHECK(linesAt(LogLevel::kInfo) == "[commtap rank 3] warning: first\n[commtap rank 3] info: second\n");
  CHECK(linesAt(LogLevel::kDebug).ends_with("[commtap rank 3] debug: third\n"));
}

TEST_CASE("a message cannot steer the terminal, nor the pattern of a line") {
  const ChildResult child = runInChild([] {
    startLog(LogLevel::kWarning, "rank 3");
    logWarning("a\x1b[31m {} %s");
  });
  CHECK(child.said == "[commtap rank 3] warning: a\\x1b[31m {} %s\n");
}

TEST_CASE("a closed stderr is no error") {
  const ChildResult child = runInChild([] {
    startLog(LogLevel::kDebug, "rank 3");
    close(STDERR_FILENO);
    logWarning("lost");
  });
  CHECK(child.status == 0);
}

} // namespace
} // namespace commtap
