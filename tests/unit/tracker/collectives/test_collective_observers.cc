// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_observers.h"

#include "tests/unit/torch_doctest.h"

#include <string>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

LedgerCollective& observedRow() {
  CollectiveKey key{};
  key.op = ProcessLedger::ledger().intern("test.observed");
  key.group = kNoIndex;
  key.kind = Kind::kAllGather;
  key.phase = Phase::kBackward;
  key.issued_in = kGlobalModule;
  LedgerCollective* row = ProcessLedger::ledger().row(key);
  REQUIRE(row != nullptr);
  return *row;
}

TEST_CASE_FIXTURE(TrackerFixture, "the callback gets each call, and may remove itself") {
  struct Heard {
    uint64_t calls = 0;
    uint64_t bytes = 0;
  } heard;
  const auto hear = [](const commtap_collective* call, void* context) {
    auto* so_far = static_cast<Heard*>(context);
    so_far->calls += call->count;
    so_far->bytes += call->bytes;
    if (so_far->calls == 2) {
      CollectiveObservers::setCallback(nullptr, nullptr);
    }
  };
  LedgerCollective& row = observedRow();
  CollectiveObservers::setCallback(hear, &heard);
  for (int i = 0; i < 3; ++i) {
    CollectiveObservers::collective(row, 5);
  }
  CHECK(heard.calls == 2);
  CHECK(heard.bytes == 10);
  CHECK_FALSE(CollectiveObservers::any());
}

TEST_CASE_FIXTURE(TrackerFixture, "a call has the names of its row") {
  const LedgerCollective& row = observedRow();
  const commtap_collective call = describe(row, 3, 24);
  CHECK(call.module_id == kGlobalModule);
  CHECK(std::string(call.module) == "Global");
  CHECK(std::string(call.issued_in) == "Global");
  CHECK(std::string(call.op) == "test.observed");
  CHECK(std::string(call.kind) == "all_gather");
  CHECK(std::string(call.phase) == "backward");
  CHECK(std::string(call.group).empty());
  CHECK(call.count == 3);
  CHECK(call.bytes == 24);
}

TEST_CASE_FIXTURE(TrackerFixture, "a collective that the callback makes is not reported to it") {
  int calls = 0;
  const auto call_again = [](const commtap_collective* /*call*/, void* context) {
    ++*static_cast<int*>(context);
    CollectiveObservers::collective(observedRow(), 5);
  };
  CollectiveObservers::setCallback(call_again, &calls);
  CollectiveObservers::collective(observedRow(), 5);
  CollectiveObservers::setCallback(nullptr, nullptr);
  CHECK(calls == 1);
}

TEST_CASE_FIXTURE(TrackerFixture, "a fork inside the callback leaves the child a callback that can be replaced") {
  const ChildResult child = runInTrackedChild([] {
    const auto replace = [](const commtap_collective* /*call*/, void* /*context*/) {
      CollectiveObservers::resetInForkedChild();
    };
    CollectiveObservers::setCallback(replace, nullptr);
    CollectiveObservers::collective(observedRow(), 5);
    CollectiveObservers::setCallback(nullptr, nullptr);
    sayLine(CollectiveObservers::any() ? "observed" : "free");
  });
  CHECK(child.said == "free\n");
}

} // namespace
} // namespace commtap
