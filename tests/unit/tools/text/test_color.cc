// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/color.h"

#include <doctest/doctest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>

namespace commtap {
namespace {

bool colours(int fd) {
  return Color::forStream(fd).bold("x") != "x";
}

TEST_CASE("Color wraps text in escape sequences, or leaves it unchanged") {
  CHECK(Color::always().bold("x") == "\x1b[1mx\x1b[0m");
  CHECK(Color::always().warning("x") != Color::always().dim("x"));
  CHECK(Color::none().warning("x") == "x");
}

TEST_CASE("only terminals with colours get them, unless NO_COLOR is set") {
  int master = -1;
  int terminal = -1;
  REQUIRE(openpty(&master, &terminal, nullptr, nullptr, nullptr) == 0);
  int pipe_ends[2] = {-1, -1};
  REQUIRE(pipe(pipe_ends) == 0);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  CHECK(colours(terminal));
  CHECK_FALSE(colours(pipe_ends[1]));
  setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(colours(terminal));
  setenv("NO_COLOR", "", 1);
  CHECK(colours(terminal));
  setenv("TERM", "dumb", 1);
  CHECK_FALSE(colours(terminal));
  unsetenv("TERM");
  CHECK_FALSE(colours(terminal));
}

} // namespace
} // namespace commtap
