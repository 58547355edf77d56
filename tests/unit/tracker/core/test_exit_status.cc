// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/exit_status.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/unit/child.h"

namespace commtap {
namespace {

TEST_CASE("a handler registered before the status is watched knows it, in the 8 bits that a parent gets") {
  for (const int status : {0, 1, 3, -1, 256 + 7}) {
    const ChildResult child = runInChild([status] {
      std::atexit([] { sayLine(std::to_string(ExitStatus::get())); });
      ExitStatus::watch();
      sayLine(std::to_string(ExitStatus::get()));
      std::exit(status); // NOLINT(concurrency-mt-unsafe): the child has one thread
    });
    CHECK(child.said == "-1\n" + std::to_string(status & 0xff) + "\n");
    CHECK(WEXITSTATUS(child.status) == (status & 0xff));
  }
}

} // namespace
} // namespace commtap
