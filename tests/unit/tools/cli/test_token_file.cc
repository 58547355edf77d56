// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/token_file.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a token is the first line of its file; short or odd ones are refused") {
  const TempFolder folder;
  const std::string path = folder.path() + "/token";
  const auto tokenIn = [&path](const std::string& text) {
    std::ofstream(path) << text;
    return readTokenFile(path);
  };
  CHECK(*tokenIn("0123456789abcdef\r\nmore\n") == "0123456789abcdef");
  for (const char* text : {"", "\n", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\t"}) {
    const Result<std::string> token = tokenIn(text);
    REQUIRE_FALSE(token);
    CHECK(token.error().find(path + ": a token is at least 16 ") == 0);
  }
  CHECK_FALSE(readTokenFile(folder.path() + "/none"));
}

} // namespace
} // namespace commtap
