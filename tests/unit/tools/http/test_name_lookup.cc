// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/name_lookup.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

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

} // namespace
} // namespace commtap
