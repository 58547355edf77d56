// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/table.h"

#include <pty.h>
#include <unistd.h>

#include <cstdlib>

#include <doctest/doctest.h>

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

TEST_CASE("table columns are aligned and as wide as their widest cell") {
  Table table("NAME|COUNT>|END");
  CHECK(table.empty());
  table.add({"a", "1", "x"});
  table.add({"longer", "1000000"});
  CHECK(table.text(Color::none()) == "NAME      COUNT  END\na             1  x\nlonger  1000000\n");
}

TEST_CASE("table cells cannot add lines or control the terminal") {
  Table table("NAME");
  table.add({"a\nb\x1b[2J"});
  table.add({std::string(5000, 'x')});
  const std::string text = table.text(Color::none());
  CHECK(text.find("a\\x0ab\\x1b[2J\n") != std::string::npos);
  CHECK(text.size() < 400);
}

std::string line(const std::vector<std::string>& cells) {
  return csvLine(cells);
}

TEST_CASE("csvLine quotes cells that need it") {
  CHECK(line({"a", "", "b c"}) == "a,,b c\n");
  CHECK(line({"", "a"}) == ",a\n");
  CHECK(line({"a,b", "say \"hi\""}) == "\"a,b\",\"say \"\"hi\"\"\"\n");
  CHECK(line({"a\nb\x1b"}) == "a\\x0ab\\x1b\n");
}

TEST_CASE("csvLine writes no formulas, and keeps negative numbers") {
  CHECK(line({"=1+1", "+a", "-a", "@SUM(A1)", "=a,b"}) == "'=1+1,'+a,'-a,'@SUM(A1),\"'=a,b\"\n");
  CHECK(line({"-5", "-0.25", "-1e-9", "a=b", "-"}) == "-5,-0.25,-1e-9,a=b,'-\n");
}

} // namespace

} // namespace commtap
