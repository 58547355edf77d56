// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_store.h"

#include <doctest/doctest.h>

#include <string>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/report/ledger/ledger_samples.h"

namespace commtap {
namespace {

TEST_CASE("equal strings are stored once, the empty string is not stored") {
  const auto ledger = LedgerWriter::create();
  CHECK(ledger->intern("") == 0);
  const StringId first = ledger->intern("all_reduce");
  CHECK(ledger->intern("all_reduce") == first);
  CHECK(ledger->intern("all_gather") != first);
  CHECK(ledger->text(first) == "all_reduce");
}

TEST_CASE("a string is cut at the longest that the ledger has; one that does not fit is \"?\" and counted") {
  const auto ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  const StringId cut = ledger->intern(std::string(kMaxString + 1, 'x'));
  CHECK(ledger->text(cut) == std::string(kMaxString, 'x'));
  const StringId unknown = ledger->intern("?");
  for (uint64_t i = 0; i <= kSmallLedger.capacities[kStrings] / kMaxString; ++i) {
    ledger->intern(std::to_string(i) + std::string(kMaxString, 'x'));
  }
  CHECK(ledger->intern(std::string(kMaxString, 'y')) == unknown);
  CHECK(notSeenOf(readLedger(ledger->bytes())->report, "strings_full") > 0);
}

TEST_CASE("the detail of what was not seen is that of its first time") {
  const auto ledger = LedgerWriter::create();
  ledger->notSeen(NotSeen::kUnknownOp, "first", 2);
  ledger->notSeen(NotSeen::kUnknownOp, "second");
  const Report report = readLedger(ledger->bytes())->report;
  REQUIRE(report.not_seen.size() == 1);
  CHECK(report.not_seen[0].count == 3);
  CHECK(report.not_seen[0].detail == "first");
}

} // namespace
} // namespace commtap
