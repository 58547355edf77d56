// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/captures.h"

#include "tests/unit/torch_doctest.h"

#include <string>
#include <thread>

#include "tests/unit/tracker_fixture.h"
#include "tracker/collectives/observers.h"
#include "tracker/core/recorder.h"

namespace commtap {
namespace {

LedgerCollective& rowNamed(std::string_view op) {
  CollectiveKey key{};
  key.op = Recorder::ledger().intern(op);
  key.group = kNoIndex;
  key.kind = Kind::kAllReduce;
  LedgerCollective* row = Recorder::ledger().row(key);
  REQUIRE(row != nullptr);
  return *row;
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture has what was counted while it was open, in the order of first calls") {
  LedgerCollective& first = rowNamed("test.first");
  LedgerCollective& second = rowNamed("test.second");
  CHECK_FALSE(Observers::any());
  const long outer = Captures::get().begin(COMMTAP_ALL_THREADS);
  Observers::collective(second, 8);
  const long inner = Captures::get().begin(COMMTAP_ALL_THREADS);
  CHECK(Observers::any());
  Observers::collective(first, 4);
  Observers::collective(second, 16);
  const auto of_inner = Captures::get().read(inner);
  REQUIRE(of_inner);
  REQUIRE(of_inner->size() == 2);
  CHECK(of_inner->at(0).op == std::string("test.first"));
  CHECK(of_inner->at(1).count == 1);
  CHECK(Captures::get().end(inner));
  const auto of_outer = Captures::get().read(outer);
  REQUIRE(of_outer);
  REQUIRE(of_outer->size() == 2);
  CHECK(of_outer->at(0).op == std::string("test.second"));
  CHECK(of_outer->at(0).kind == std::string("all_reduce"));
  CHECK(of_outer->at(0).count == 2);
  CHECK(of_outer->at(0).bytes == 24);
  CHECK(Captures::get().end(outer));
  CHECK_FALSE(Observers::any());
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture of one thread has nothing of another's") {
  LedgerCollective& row = rowNamed("test.thread");
  const long capture = Captures::get().begin(COMMTAP_THIS_THREAD);
  std::thread([&] { Observers::collective(row, 100); }).join();
  Observers::collective(row, 1);
  const auto rows = Captures::get().read(capture);
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->at(0).bytes == 1);
  CHECK(Captures::get().end(capture));
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture that was ended, or never begun, is none") {
  const long capture = Captures::get().begin(COMMTAP_ALL_THREADS);
  CHECK(Captures::get().end(capture));
  CHECK_FALSE(Captures::get().end(capture));
  CHECK_FALSE(Captures::get().read(capture));
  CHECK_FALSE(Captures::get().read(-1));
}

TEST_CASE_FIXTURE(TrackerFixture, "the callback gets each call alone, and may take itself out") {
  struct Heard {
    uint64_t calls = 0;
    uint64_t bytes = 0;
  } heard;
  const auto hear = [](const commtap_collective* call, void* context) {
    auto* so_far = static_cast<Heard*>(context);
    so_far->calls += call->count;
    so_far->bytes += call->bytes;
    if (so_far->calls == 2) {
      Observers::setCallback(nullptr, nullptr);
    }
  };
  LedgerCollective& row = rowNamed("test.callback");
  Observers::setCallback(hear, &heard);
  for (int i = 0; i < 3; ++i) {
    Observers::collective(row, 5);
  }
  CHECK(heard.calls == 2);
  CHECK(heard.bytes == 10);
  CHECK_FALSE(Observers::any());
}

} // namespace
} // namespace commtap
