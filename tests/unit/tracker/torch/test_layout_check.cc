// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/torch/layout.h"

#include <string>

#include "tests/unit/torch_doctest.h"

namespace commtap {
namespace {

TEST_CASE("facts that agree are no difference") {
  LayoutCheck check("things");
  const int object = 0;
  CHECK(check.same("size", 3, 3U));
  CHECK(check.same("name", "a", std::string("a")));
  CHECK(check.sameAddress("address", &object, &object));
  CHECK(check.holds("presence", true));
  CHECK(check.difference().empty());
}

TEST_CASE("the first difference is kept, and no later fact agrees") {
  LayoutCheck check("things");
  CHECK_FALSE(check.same("size", 7, 3));
  CHECK(check.difference() == "things: the size is 3 and reads as 7");
  CHECK_FALSE(check.same("rank", 1, 1));
  CHECK_FALSE(check.same("name", "a", "b"));
  CHECK(check.difference() == "things: the size is 3 and reads as 7");
}

TEST_CASE("a number of another sign or size is another number") {
  LayoutCheck check("things");
  CHECK_FALSE(check.same("number", -1, 0xffffffffU));
}

TEST_CASE("a missing fact is named") {
  LayoutCheck check("things");
  CHECK_FALSE(check.holds("presence of a part", false));
  CHECK(check.difference() == "things: the presence of a part is true and reads as false");
}

TEST_CASE("a difference is one short line, whatever was read") {
  LayoutCheck check("things");
  CHECK_FALSE(check.same("text", std::string(1000, 'x'), "a\nb"));
  CHECK(check.difference() == "things: the text is a b and reads as " + std::string(120, 'x'));
}

} // namespace
} // namespace commtap
