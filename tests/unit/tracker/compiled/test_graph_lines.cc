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

  CHECK(of_no_module->has_modules);
  CHECK_FALSE(parsePlace("B")->has_modules);
  CHECK(parsePlace("B")->backward);
  CHECK_FALSE(parsePlace(""));
  CHECK_FALSE(parsePlace("x\tL['self']"));
  CHECK_FALSE(parsePlace("f 8\tL['self'].a\tL['self'].b"));
  CHECK_FALSE(parsePlace("f 8 x\tL['self'].a\tL['self'].b"));
}

TEST_CASE("a place can hold outside of a backward only") {
  CHECK(parsePlace("o\tL['self'].a")->is_only_forward);
  CHECK_FALSE(parsePlace("o\tL['self'].a")->backward);
  CHECK_FALSE(parsePlace("f\tL['self'].a")->is_only_forward);
}

TEST_CASE("the call of a region has the module that was traced and the one that calls, or neither") {
  const auto call = parsePlace("r\tL['self'].layers.0\tL['self'].layers.1");
  REQUIRE(call);
  CHECK(call->is_region);
  CHECK(parsePlace("r")->is_region);
  CHECK_FALSE(parsePlace("f")->is_region);
  CHECK_FALSE(parsePlace("r\tL['self'].layers.0"));
  CHECK_FALSE(parsePlace("r 8 8\tL['self'].layers.0\tL['self'].layers.1"));
}

TEST_CASE("in the call of a region the module that calls replaces the one that was traced") {
  const GraphPlace call = *parsePlace("r\tL['self'].layers.1\tL['self'].layers.2");
  const GraphPlace moved = placeInCall(*parsePlace("b\tL['self'].layers.1.down\tL['self'].layers.1"), call);
  CHECK(moved.is_known);
  CHECK(moved.backward);
  CHECK(moved.sources == Sources{"L['self'].layers.2.down", "L['self'].layers.2"});

  CHECK(placeInCall(*parsePlace("f"), call).is_known);
  CHECK_FALSE(placeInCall(*parsePlace("f\tL['self'].layers.10.down"), call).is_known);
  const GraphPlace unknown = placeInCall(*parsePlace("b\tL['self'].layers.1.down"), *parsePlace("r"));
  CHECK_FALSE(unknown.is_known);
  CHECK(unknown.backward);
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
