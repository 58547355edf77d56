// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/graph_lines.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Sources = std::vector<std::string>;

TEST_CASE("a place has a phase and the sources of its modules") {
  const auto forward = parsePlace("f\tL['self'].layers.0");
  REQUIRE(forward);
  CHECK_FALSE(forward->backward);
  CHECK(forward->sources == Sources{"L['self'].layers.0"});

  const auto merged = parsePlace("b\tL['self'].a\tL['self'].b");
  REQUIRE(merged);
  CHECK(merged->backward);
  CHECK(merged->sources == Sources{"L['self'].a", "L['self'].b"});

  const auto sized = parsePlace("f 8 24\tL['self'].a\tL['self'].b");
  REQUIRE(sized);
  CHECK(sized->sources == merged->sources);
  CHECK(sized->sizes == std::vector<uint64_t>{8, 24});
  CHECK(merged->sizes.empty());

  const auto of_no_module = parsePlace("f");
  REQUIRE(of_no_module);
  CHECK(of_no_module->sources.empty());

  CHECK_FALSE(parsePlace(""));
  CHECK_FALSE(parsePlace("x\tL['self']"));
  CHECK_FALSE(parsePlace("f 8\tL['self'].a\tL['self'].b"));
  CHECK_FALSE(parsePlace("f 8 x\tL['self'].a\tL['self'].b"));
}

TEST_CASE("a line of a generated file is of the range that holds it") {
  const auto lines = GraphLines::parse("107\t108\tf\tL['self'].a\n127\t128\tb\tL['self'].b\n");
  REQUIRE(lines);
  CHECK_FALSE(lines->at(106));
  CHECK(lines->at(107)->sources == Sources{"L['self'].a"});
  CHECK(lines->at(108)->sources == Sources{"L['self'].a"});
  CHECK_FALSE(lines->at(109));
  CHECK(lines->at(128)->backward);
}

TEST_CASE("a text that is cut off or of another kind is not read") {
  CHECK(GraphLines::parse(""));
  for (const char* const text :
       {"107\t108\tf\tL['self']", "107\t108\n", "107\tf\tx\n", "a\tb\tf\tx\n", "\n", "-1\t2\tf\n"}) {
    CAPTURE(text);
    CHECK_FALSE(GraphLines::parse(text));
  }
}

} // namespace
} // namespace commtap
