// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/exit_status.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/child.h"

namespace commtap {
namespace {

TEST_CASE("a handler registered before the status is watched knows it") {
  for (const int status : {0, 1, 3, -1}) {
    std::fflush(stdout); // the child's exit() would write it again
    const ChildResult child = runInChild([status] {
      std::atexit([] { sayLine(std::to_string(ExitStatus::get())); });
      ExitStatus::watch();
      sayLine(ExitStatus::get() == ExitStatus::kUnknown ? "unknown" : "known");
      std::exit(status); // NOLINT(concurrency-mt-unsafe): the child has one thread
    });
    CHECK(child.said == "unknown\n" + std::to_string(status) + "\n");
  }
}

} // namespace
} // namespace commtap
