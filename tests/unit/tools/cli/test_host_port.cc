// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/host_port.h"

#include <fstream>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a listen address survives a round trip through its text") {
  for (const char* text : {"127.0.0.1:9464", "localhost:0", "[::1]:65535", "node1.example:80"}) {
    const Result<HostPort> address = parseHostPort(text);
    REQUIRE(address);
    CHECK(address->text() == text);
  }
  CHECK(parseHostPort("[::1]:1")->host == "::1");
}

TEST_CASE("an invalid listen address is named in the error") {
  for (const char* text :
       {"", "9464", ":9464", "host:", "host:x", "host:70000", "host:-1", "::1:80", "host:1x", "[]:1"}) {
    const Result<HostPort> address = parseHostPort(text);
    CAPTURE(text);
    REQUIRE_FALSE(address);
    CHECK(address.error() == "\"" + std::string(text) + "\" is not HOST:PORT, such as 127.0.0.1:9464");
  }
}

TEST_CASE("loopback addresses are recognized") {
  CHECK(parseHostPort("127.0.0.1:1")->isLoopback());
  CHECK(parseHostPort("[::1]:1")->isLoopback());
  CHECK(parseHostPort("localhost:1")->isLoopback());
  CHECK_FALSE(parseHostPort("0.0.0.0:1")->isLoopback());
  CHECK_FALSE(parseHostPort("[::]:1")->isLoopback());
  CHECK_FALSE(parseHostPort("127.example.org:1")->isLoopback());
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
