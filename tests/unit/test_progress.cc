// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/progress.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

namespace commtap {
namespace {

/// What `body` writes to stderr, with stderr a terminal.
template <typename Body>
std::string onTerminal(Body body) {
  int master = -1;
  int terminal = -1;
  REQUIRE(openpty(&master, &terminal, nullptr, nullptr, nullptr) == 0);
  std::fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(terminal, STDERR_FILENO);
  body();
  std::fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  fcntl(master, F_SETFL, O_NONBLOCK);
  std::string text(4096, '\0');
  const ssize_t count = read(master, text.data(), text.size());
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  close(terminal);
  close(master);
  return text;
}

TEST_CASE("who waits a second sees a bar, which goes away") {
  const std::string text = onTerminal([] {
    withProgress([](const auto& progress) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
      progress(1, 2);
      return 0;
    });
  });
  CHECK(text.find("] 1/2") != std::string::npos);
  CHECK(text.ends_with("\r\x1b[K"));
}

TEST_CASE("who does not wait sees nothing, nor who has no terminal") {
  CHECK(onTerminal([] {
          withProgress([](const auto& progress) {
            progress(1, 2);
            progress(0, 0);
            return 0;
          });
        }).empty());
}

} // namespace
} // namespace commtap
