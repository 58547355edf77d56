// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/serve_process.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a server starts and ends with its object") {
  const TempFolder folder;
  const std::string path = folder / "pid";
  {
    const ServeProcess server("/bin/sh", {"sh", "-c", "echo $$ > " + path + "; exec sleep 100"});
    while (!std::filesystem::exists(path) || readText(path).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const pid_t pid = std::stoi(readText(path));
    CHECK(kill(pid, 0) == 0);
    CHECK(getpgid(pid) == pid);
  }
  CHECK(kill(std::stoi(readText(path)), 0) == -1);
  CHECK(errno == ESRCH);
}

TEST_CASE("a server that cannot be started is no error") {
  const ServeProcess server("/no/such/program", {"commtap"});
}

} // namespace
} // namespace commtap
