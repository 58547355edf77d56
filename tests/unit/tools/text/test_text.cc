// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/text.h"

#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a label is in brackets behind its module, and both are inert") {
  CHECK(labelledModule("Net.a", "", false) == "Net.a");
  CHECK(labelledModule("Global", "clip_grad_norm_", false) == "Global [clip_grad_norm_]");
  CHECK(labelledModule("Net", "", true) == "Net (set-up)");
  CHECK(labelledModule("Global", "barrier", true) == "Global [barrier] (set-up)");
  CHECK(labelledModule("a\n", "b\x1b", false) == "a\\x0a [b\\x1b]");
}

TEST_CASE("width counts code points, and shortening removes the middle") {
  CHECK(
      displayWidth("\xc3\xa4"
                   "b") == 2);
  CHECK(shorten("abcdefghij", 10) == "abcdefghij");
  CHECK(shorten("abcdefghijk", 10) == "abc...hijk");
  CHECK(displayWidth(shorten("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6)) == 6);
}

TEST_CASE("stepRange shows merged steps as a range") {
  CHECK(stepRange(7, 1) == "7");
  CHECK(stepRange(16, 16) == "16-31");
  CHECK(stepRange(16, UINT64_MAX) == "16-18446744073709551615");
}

TEST_CASE("signalName returns a signal's name") {
  CHECK(signalName(9) == "SIGKILL");
  CHECK(signalName(99) == "signal 99");
  CHECK(signalName(-1) == "signal -1");
}

TEST_CASE("a whole number is digits and nothing else") {
  CHECK(wholeNumber("0") == 0);
  CHECK(wholeNumber("007") == 7);
  CHECK(wholeNumber("9223372036854775807") == INT64_MAX);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "x", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(wholeNumber(text));
  }
}

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
