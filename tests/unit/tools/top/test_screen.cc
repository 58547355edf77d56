// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/screen.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

TEST_CASE("a text is cut to the screen, and says how much is missing") {
  CHECK(fitted("abc\nd\n", {2, 2}) == "ab\nd\n");
  CHECK(fitted("a\nb\nc\nd\n", {20, 3}) == "a\nb\n... 2 more lines\n");
  CHECK(fitted("\xc3\xa4\xc3\xb6\xc3\xbc\n", {2, 9}) == "\xc3\xa4\xc3\xb6\n");
  CHECK(fitted("\x1b[1mabc\x1b[0m\n", {2, 9}) == "\x1b[1mab\x1b[0m\n");
  CHECK(fitted("abc\n", {}) == "abc\n");
}

} // namespace
} // namespace commtap
