// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_stream.h"

#include <doctest/doctest.h>

#include "tests/unit/raw_server.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Clock = HttpStream::Clock;

HttpStream streamTo(const HostPort& server) {
  const auto until = Clock::now() + std::chrono::seconds(5);
  return {server, until, until, "late"};
}

std::string problemOf(const HostPort& server) {
  try {
    streamTo(server);
  } catch (const HttpProblem& problem) {
    return problem.what();
  }
  return "";
}

TEST_CASE("lines and pieces come as they were sent, within what is allowed") {
  const RawServer server("a\r\nb\n\nrest");
  HttpStream stream = streamTo(server.address());
  stream.send("\r\n\r\n");
  stream.allow(9, "too much");
  CHECK(stream.line() == "a");
  CHECK(stream.line() == "b");
  CHECK(stream.line().empty());
  CHECK(stream.piece(3) == "res");
  CHECK_THROWS_WITH_AS(stream.piece(3), "too much", HttpProblem);
  stream.allow(1, "too much");
  CHECK(stream.piece(3) == "t");
  CHECK(stream.piece(3).empty());
}

TEST_CASE("a server that cannot be reached is said, with the reason") {
  CHECK(problemOf({"127.0.0.1", 1}) == "no connection: Connection refused");
  CHECK(has(problemOf({"no.such.name.invalid", 1}), "no connection: "));
}

} // namespace
} // namespace commtap
