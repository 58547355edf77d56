// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gloo/gloo_timing.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace commtap {
namespace {

const void* address(size_t nth) {
  return reinterpret_cast<const void*>(0x7f0000000000U + nth * 208); // NOLINT(performance-no-int-to-ptr)
}

OpFrame callOf(uint64_t number) {
  OpFrame call;
  call.number = number;
  return call;
}

TEST_CASE("a Work is found until a thread takes it, which only one can") {
  const auto table = std::make_unique<WorkTable>();
  CHECK(table->find(address(1)) == nullptr);
  CHECK(table->add(address(1), callOf(7), nullptr));
  WorkTable::Entry* entry = table->find(address(1));
  REQUIRE(entry != nullptr);
  CHECK(entry->call.number == 7);
  CHECK(entry->started_at_ns == 0);
  CHECK(WorkTable::take(*entry, address(1)));
  CHECK_FALSE(WorkTable::take(*entry, address(1)));
  CHECK(table->find(address(1)) == nullptr);
}

TEST_CASE("a Work that never completed is replaced by the next one at its address") {
  const auto table = std::make_unique<WorkTable>();
  for (uint64_t nth = 0; nth < 100'000; ++nth) {
    REQUIRE(table->add(address(nth % 300), callOf(nth), nullptr));
    table->find(address(nth % 300))->started_at_ns = 5;
  }
  for (uint64_t nth = 0; nth < 300; ++nth) {
    const WorkTable::Entry* entry = table->find(address(nth));
    REQUIRE(entry != nullptr);
    CHECK(entry->call.number >= 100'000 - 300);
  }
  CHECK(table->add(address(0), callOf(1), nullptr));
  CHECK(table->find(address(0))->started_at_ns == 0);
}

TEST_CASE("add() fails on a full table, and works again after clear()") {
  const auto table = std::make_unique<WorkTable>();
  size_t added = 0;
  while (table->add(address(added), callOf(added), nullptr)) {
    ++added;
  }
  CHECK(added > 1000);
  for (size_t nth = 0; nth < added; ++nth) {
    const WorkTable::Entry* entry = table->find(address(nth));
    REQUIRE(entry != nullptr);
    CHECK(entry->call.number == nth);
  }
  table->clear();
  CHECK(table->find(address(0)) == nullptr);
  CHECK(table->add(address(added), callOf(0), nullptr));
}

} // namespace
} // namespace commtap
