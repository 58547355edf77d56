// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_counters.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>

namespace commtap {
namespace {

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
  CHECK(countersOf<LedgerStep>() == 3 + 4 * kLaneCount);
  CHECK(countersOf<LedgerLast>() == 0);
  CHECK(countersOf<LedgerSplitPeer>() == 1);
  CHECK(countersOf<LedgerSplits>() == 4);
  CHECK(countersOf<LedgerStall>() == 2);
  CHECK(countersOf<LedgerOpenCall>() == 0);
}

} // namespace
} // namespace commtap
