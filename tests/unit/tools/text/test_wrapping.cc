// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/wrapping.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace commtap {
namespace {

TEST_CASE("lines are broken at spaces and indented") {
  CHECK(wrapped("aa bb cc\nd\n", 5) == "aa bb\ncc\nd\n");
  CHECK(wrapped("one two three four five\n", 12) == "one two\n    three\n    four\n    five\n");
  CHECK(wrapped("abcdefgh", 3) == "abc\ndef\ngh\n");
  CHECK(wrapped("\x1b[1mab cd\x1b[0m\n", 5) == "\x1b[1mab cd\x1b[0m\n");
  CHECK(wrapped("a b\n", std::numeric_limits<size_t>::max()) == "a b\n");
}

TEST_CASE("the lines of a paragraph are joined, and paragraphs stay apart") {
  CHECK(unbroken("a\nb\n\nc\nd") == "a b\n\nc d");
  CHECK(wrapped(unbroken("aa\nbb cc\n\nd"), 5, "") == "aa bb\ncc\n\nd\n");
}

} // namespace
} // namespace commtap
