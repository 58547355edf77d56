// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/redaction.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace commtap {
namespace {

TEST_CASE("inert keeps plain text of any language") {
  CHECK(
      inert("Net.layers.0 \xc3\xa4\xe6\x97\xa5\xf0\x9f\x98\x80") ==
      "Net.layers.0 \xc3\xa4\xe6\x97\xa5\xf0\x9f\x98\x80");
}

TEST_CASE("inert escapes control characters") {
  CHECK(inert("\x1b]0;x\x07\n\t\x7f") == "\\x1b]0;x\\x07\\x0a\\x09\\x7f");
  CHECK(inert(std::string(1, '\0')) == "\\x00");
  CHECK(
      inert("\xc2\x9b"
            "31m") == "\\u{9b}31m");
  CHECK(
      inert("a\xe2\x80\xae"
            "b") == "a\\u{202e}b");
}

TEST_CASE("inert escapes marks of direction and invisible characters") {
  for (const char* mark : {"feff", "61c", "200e", "200f", "202a", "202e", "2066", "2069"}) {
    const auto c = static_cast<unsigned>(std::stoul(mark, nullptr, 16));
    const auto byte = [](unsigned value) { return static_cast<char>(value); };
    const std::string text =
        c < 0x800 ? std::string{byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f))}
                  : std::string{byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f))};
    CHECK(inert("a" + text + "b") == "a\\u{" + std::string(mark) + "}b");
  }
}

TEST_CASE("inert escapes invalid UTF-8 byte by byte") {
  CHECK(inert("\xff") == "\\xff");
  CHECK(inert("\xc3(") == "\\xc3(");
  CHECK(inert("\xe6\x97") == "\\xe6\\x97");
  CHECK(inert("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(inert("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(inert("\xe0\x80\x80") == "\\xe0\\x80\\x80");
  CHECK(inert("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

} // namespace
} // namespace commtap
