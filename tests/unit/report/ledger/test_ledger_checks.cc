// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_checks.h"

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

} // namespace
} // namespace commtap
