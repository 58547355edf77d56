// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/whole_number.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a whole number is digits and nothing else") {
  CHECK(wholeNumber("0") == 0);
  CHECK(wholeNumber("007") == 7);
  CHECK(wholeNumber("9223372036854775807") == INT64_MAX);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "x", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(wholeNumber(text));
  }
}

} // namespace
} // namespace commtap
