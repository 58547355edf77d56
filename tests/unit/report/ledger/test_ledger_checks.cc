// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_checks.h"

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a number of records fits its check in its own section only") {
  for (const uint64_t used : {uint64_t{0}, uint64_t{1}, kLedgerCapacities[kStrings]}) {
    CHECK(usedIn(kStrings, usedWithCheck(kStrings, used)) == used);
    CHECK_FALSE(usedIn(kRanks, usedWithCheck(kStrings, used)));
  }
  CHECK_FALSE(usedIn(kStrings, 0));
}

TEST_CASE("the same record has another check in another place, and zeros do not fit") {
  LedgerParameter parameter{};
  CHECK(checkOf(parameter, 0) != 0);
  CHECK(checkOf(parameter, 0) != checkOf(parameter, 1));
  CHECK(checkOf(LedgerLane{}, 0) != checkOf(parameter, 0));
}

TEST_CASE("the header is sealed when the ledger is published, and a later change seals it again") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  CHECK(ledger->header().check == 0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  CHECK(ledger->header().check == checkOf(ledger->header()));
  CHECK(ledger->header().end_check == checkOfEnd(ledger->header()));
  ledger->changeHeader([](LedgerHeader& head) { head.world_size = 8; });
  CHECK(ledger->header().check == checkOf(ledger->header()));
}

TEST_CASE("a running process has no end to check") {
  const auto ledger = sampleLedger(0);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().ended_at_ns = 0;
  CHECK(checkOfEnd(ledger->header()) == 0);
  ledger->header().exit_code = 9;
  CHECK(checkOfEnd(ledger->header()) != 0);
}

template <typename Record>
size_t countersOf() {
  const auto record = std::make_unique<Record>();
  std::set<const void*> counters;
  forEachCounter(*record, [&](std::atomic<uint64_t>& counter) {
    CHECK(reinterpret_cast<std::byte*>(&counter) >= reinterpret_cast<std::byte*>(record.get()));
    CHECK(reinterpret_cast<std::byte*>(&counter + 1) <= reinterpret_cast<std::byte*>(record.get() + 1));
    counters.insert(&counter);
  });
  return counters.size();
}

TEST_CASE("each counter of a record is visited") {
  CHECK(countersOf<LedgerHeader>() == kNotSeenCount + kCostPartCount + 1);
  CHECK(countersOf<LedgerGroup>() == 2);
  CHECK(countersOf<LedgerModule>() == kPhaseCount);
  CHECK(countersOf<LedgerParameter>() == 0);
  CHECK(countersOf<LedgerTimes>() == kDurationKindCount * sizeof(LedgerDurations) / sizeof(uint64_t) + 1);
  CHECK(countersOf<LedgerCollective>() == 2);
  CHECK(countersOf<LedgerOperation>() == 1);
  CHECK(countersOf<LedgerCommunicator>() == 0);
  CHECK(countersOf<LedgerNcclCall>() == 4);
  CHECK(countersOf<LedgerGraph>() == 1);
  CHECK(countersOf<LedgerGraphCall>() == 0);
  CHECK(countersOf<LedgerLane>() == 0);
  CHECK(countersOf<LedgerStep>() == 4 + 4 * kLaneCount);
  CHECK(countersOf<LedgerLast>() == 0);
  CHECK(countersOf<LedgerSplitPeer>() == 1);
  CHECK(countersOf<LedgerSplits>() == 5);
  CHECK(countersOf<LedgerStall>() == 2);
  CHECK(countersOf<LedgerOpenCall>() == 0);
}

TEST_CASE("LedgerTimes returns the sum, extremes and classes of the added durations") {
  const auto times = std::make_unique<LedgerTimes>();
  LedgerDurations& durations = times->durations[0];
  CHECK(durationsOf(durations) == Durations{});
  for (const uint64_t ns : {1000U, 3U, 0U, 1500U}) {
    addDuration(durations, ns);
  }
  CHECK(durationsOf(durations) == Durations{4, 2503, 0, 1500, {{0, 1}, {2, 1}, {512, 1}, {1024, 1}}});
  forEachCounter(*times, [](std::atomic<uint64_t>& counter) { counter = 0; });
  CHECK(durationsOf(durations) == Durations{});
}

TEST_CASE("LedgerTimes loses no durations that several threads add") {
  constexpr uint64_t kEach = 20'000;
  const auto times = std::make_unique<LedgerTimes>();
  std::vector<std::thread> threads;
  for (uint64_t nth = 0; nth < 4; ++nth) {
    threads.emplace_back([&times, nth] {
      for (uint64_t i = 0; i < kEach; ++i) {
        addDuration(times->durations[1], 100 + nth * kEach + i);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const Durations read = durationsOf(times->durations[1]);
  constexpr uint64_t kAll = 4 * kEach;
  CHECK(read.count == kAll);
  CHECK(read.sum_ns == 100 * kAll + kAll * (kAll - 1) / 2);
  CHECK(read.min_ns == 100);
  CHECK(read.max_ns == 100 + kAll - 1);
}

} // namespace
} // namespace commtap
