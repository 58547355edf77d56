// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_access.h"

#include <doctest/doctest.h>

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

} // namespace
} // namespace commtap
