// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/text.h"

#include <doctest/doctest.h>

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

TEST_CASE("a label stands in brackets behind its module, and both are inert") {
  CHECK(labelledModule("Net.a", "") == "Net.a");
  CHECK(labelledModule("Global", "clip_grad_norm_") == "Global [clip_grad_norm_]");
  CHECK(labelledModule("a\n", "b\x1b") == "a\\x0a [b\\x1b]");
}

TEST_CASE("width counts code points, and shortening removes the middle") {
  CHECK(
      displayWidth("\xc3\xa4"
                   "b") == 2);
  CHECK(shorten("abcdefghij", 10) == "abcdefghij");
  CHECK(shorten("abcdefghijk", 10) == "abc...hijk");
  CHECK(displayWidth(shorten("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6)) == 6);
}

TEST_CASE("humanBytes has three significant digits") {
  CHECK(humanBytes(0) == "0 B");
  CHECK(humanBytes(1023) == "1023 B");
  CHECK(humanBytes(1024) == "1.00 KiB");
  CHECK(humanBytes(10.0 * 1024) == "10.0 KiB");
  CHECK(humanBytes(1023.0 * 1024) == "1023 KiB");
  CHECK(humanBytes(1.5 * 1024 * 1024 * 1024) == "1.50 GiB");
  CHECK(humanBytes(1e30).ends_with(" EiB"));
  CHECK(humanBytes(0.5) == "0.50 B");
}

TEST_CASE("durations have a unit that fits their size") {
  CHECK(humanDuration(0) == "0 ns");
  CHECK(humanDuration(850) == "850 ns");
  CHECK(humanDuration(1200) == "1.20 us");
  CHECK(humanDuration(12.5e6) == "12.5 ms");
  CHECK(humanDuration(59e9) == "59.0 s");
  CHECK(humanDuration(90e9) == "1.50 min");
  CHECK(humanDuration(3600e9 * 250) == "250 h");
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

} // namespace
} // namespace commtap
