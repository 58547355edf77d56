// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/table.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("table columns are aligned and as wide as their widest cell") {
  Table table({{"NAME"}, {"COUNT", Align::kRight}, {"END"}});
  CHECK(table.empty());
  table.add({"a", "1", "x"});
  table.add({"longer", "1000000"});
  CHECK(table.text(Color::none()) == "NAME      COUNT  END\na             1  x\nlonger  1000000\n");
}

TEST_CASE("table cells cannot add lines or control the terminal") {
  Table table({{"NAME"}});
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
