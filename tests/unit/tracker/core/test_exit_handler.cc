// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/off_switch.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/child.h"

namespace commtap {
namespace {

void sayStatus(int status) {
  sayLine(status == ExitHandler::kUnknown ? "unknown" : std::to_string(status));
}

/// Returns what a child says that exits.
std::string saidAtExit(int status, void (*installs)()) {
  std::fflush(stdout); // the child's exit() would write it again
  return runInChild([&] {
           installs();
           std::exit(status); // NOLINT(concurrency-mt-unsafe): the child has one thread
         })
      .said;
}

TEST_CASE("the function runs once at the exit, with the status") {
  for (const int status : {0, 1, 3, -1}) {
    const std::string said = saidAtExit(status, [] {
      ExitHandler::install(sayStatus);
      ExitHandler::renew();
    });
    CHECK(said == std::to_string(status) + "\n");
  }
}

TEST_CASE("the function runs before the handlers that were registered before the last renewal") {
  const std::string said = saidAtExit(2, [] {
    ExitHandler::install(sayStatus);
    std::atexit([] { sayLine("destructors"); });
    ExitHandler::renew();
  });
  CHECK(said == "2\ndestructors\n");
}

} // namespace
} // namespace commtap
