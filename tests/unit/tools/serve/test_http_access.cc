// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_access.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("a loopback server answers only to loopback names") {
  const HttpAccess access{.only_loopback_names = true};
  for (const char* host : {"localhost", "LOCALHOST:9464", "127.0.0.1:1", "127.9.9.9", "[::1]:9464", "[::1]"}) {
    CAPTURE(host);
    CHECK(access.statusFor(host, "") == 200);
  }
  for (const char* host :
       {"",
        "evil.example",
        "127.0.0.1.evil.example:9464",
        "localhost.evil.example",
        "[::1",
        "0.0.0.0:9464",
        "[::]",
        "["}) {
    CAPTURE(host);
    CHECK(access.statusFor(host, "") == 403);
  }
  CHECK(HttpAccess{}.statusFor("node1.example:9464", "") == 200);
}

TEST_CASE("a server with a token answers only requests that have it") {
  const HttpAccess access{.token = "0123456789abcdef"};
  CHECK(access.statusFor("h", "Bearer 0123456789abcdef") == 200);
  for (const char* authorization :
       {"",
        "Bearer",
        "Bearer ",
        "0123456789abcdef",
        "Bearer 0123456789abcdeg",
        "Bearer 0123456789abcdef0",
        "Basic x"}) {
    CAPTURE(authorization);
    CHECK(access.statusFor("h", authorization) == 401);
  }
}

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
