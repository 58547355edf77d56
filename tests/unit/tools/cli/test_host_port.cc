// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/host_port.h"

#include <doctest/doctest.h>

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

} // namespace
} // namespace commtap
