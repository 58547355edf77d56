// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_stream.h"

#include <atomic>
#include <thread>

#include <doctest/doctest.h>

#include "tests/unit/raw_server.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> is_held = false;

int heldLookup(const char* /*name*/, const char* /*port*/, const addrinfo* /*wanted*/, addrinfo** /*found*/) {
  while (is_held) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return EAI_NONAME;
}

TEST_CASE("an address is looked up without the name system, a name with it") {
  const auto until = Clock::now() + std::chrono::seconds(5);
  const auto addresses = addressesOf("127.0.0.1", 80, until, heldLookup);
  REQUIRE(addresses);
  REQUIRE(addresses->size() == 1);
  CHECK(addresses->front().bytes.ss_family == AF_INET);
  CHECK(addressesOf("localhost", 80, until));
  CHECK_FALSE(addressesOf("no.such.name.invalid", 80, until).error().empty());
}

TEST_CASE("a name system that does not answer is left at the deadline") {
  is_held = true;
  const auto start = Clock::now();
  const auto late = addressesOf("name", 80, start + std::chrono::milliseconds(50), heldLookup);
  CHECK(late.error() == "the name system does not answer in time");
  CHECK(Clock::now() - start < std::chrono::seconds(2));
  is_held = false;
}

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
