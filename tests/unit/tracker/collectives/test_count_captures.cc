// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/count_captures.h"

#include "tests/unit/torch_doctest.h"

#include <string>
#include <thread>

#include "tests/unit/tracker_fixture.h"
#include "tracker/collectives/collective_observers.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

LedgerCollective& rowNamed(std::string_view op) {
  CollectiveKey key{};
  key.op = ProcessLedger::ledger().intern(op);
  key.group = kNoIndex;
  key.kind = Kind::kAllReduce;
  LedgerCollective* row = ProcessLedger::ledger().row(key);
  REQUIRE(row != nullptr);
  return *row;
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture has what was counted while it was open, in the order of first calls") {
  LedgerCollective& first = rowNamed("test.first");
  LedgerCollective& second = rowNamed("test.second");
  CHECK_FALSE(CollectiveObservers::any());
  const long outer = CountCaptures::get().begin(COMMTAP_ALL_THREADS);
  CollectiveObservers::collective(second, 8);
  const long inner = CountCaptures::get().begin(COMMTAP_ALL_THREADS);
  CHECK(CollectiveObservers::any());
  CollectiveObservers::collective(first, 4);
  CollectiveObservers::collective(second, 16);
  const auto of_inner = CountCaptures::get().read(inner);
  REQUIRE(of_inner);
  REQUIRE(of_inner->size() == 2);
  CHECK(of_inner->at(0).op == std::string("test.first"));
  CHECK(of_inner->at(1).count == 1);
  CHECK(CountCaptures::get().end(inner));
  const auto of_outer = CountCaptures::get().read(outer);
  REQUIRE(of_outer);
  REQUIRE(of_outer->size() == 2);
  CHECK(of_outer->at(0).op == std::string("test.second"));
  CHECK(of_outer->at(0).kind == std::string("all_reduce"));
  CHECK(of_outer->at(0).count == 2);
  CHECK(of_outer->at(0).bytes == 24);
  CHECK(CountCaptures::get().end(outer));
  CHECK_FALSE(CollectiveObservers::any());
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture of one thread excludes other threads") {
  LedgerCollective& row = rowNamed("test.thread");
  const long capture = CountCaptures::get().begin(COMMTAP_THIS_THREAD);
  std::thread([&] { CollectiveObservers::collective(row, 100); }).join();
  CollectiveObservers::collective(row, 1);
  const auto rows = CountCaptures::get().read(capture);
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->at(0).bytes == 1);
  CHECK(CountCaptures::get().end(capture));
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture that has ended or never began is invalid") {
  const long capture = CountCaptures::get().begin(COMMTAP_ALL_THREADS);
  CHECK(CountCaptures::get().end(capture));
  CHECK_FALSE(CountCaptures::get().end(capture));
  CHECK_FALSE(CountCaptures::get().read(capture));
  CHECK_FALSE(CountCaptures::get().read(-1));
}

} // namespace
} // namespace commtap
