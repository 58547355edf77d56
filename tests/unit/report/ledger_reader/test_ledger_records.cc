// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_records.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the records of a ledger are located; those of other bytes are an error") {
  const auto ledger = sampleLedger(0);
  LedgerRecords records(ledger->bytes());
  CHECK(records.locate().empty());
  CHECK(records.count(kModules) == 5);
  CHECK(records.text(records.header().run_id) == "sample-run");
  CHECK(records.damage().empty());
  const std::vector<std::byte> zeros(1024);
  CHECK(LedgerRecords(zeros).locate() == "not a commtap ledger");
  CHECK(LedgerRecords({}).locate() == "not a commtap ledger");
}

TEST_CASE("a name that is not at an id, or was damaged, is unknown, with a note") {
  const auto ledger = sampleLedger(0);
  LedgerRecords records(ledger->bytes());
  REQUIRE(records.locate().empty());
  CHECK(records.text(0).empty());
  CHECK(records.damage().empty());
  CHECK(records.text(1U << 30U) == "?");
  CHECK(records.damage() == "a name is missing or damaged; it reads as \"?\"");
  const StringId id = ledger->intern("a name of this test");
  LedgerRecords again(ledger->bytes());
  REQUIRE(again.locate().empty());
  CHECK(again.text(id) == "a name of this test");
  ledger->records<kStrings>()[id + sizeof(LedgerString)] = std::byte{'b'};
  CHECK(again.text(id) == "?");
}

TEST_CASE("a record that does not fit its check is left out, with a note; the first note stays") {
  const auto ledger = sampleLedger(0);
  ledger->records<kModules>()[2].flags ^= 1U;
  LedgerRecords records(ledger->bytes());
  REQUIRE(records.locate().empty());
  std::vector<uint64_t> whole;
  records.forEachWhole<kModules>([&whole](const LedgerModule&, uint64_t number) { whole.push_back(number); });
  CHECK(whole == std::vector<uint64_t>{0, 1, 3, 4});
  records.damaged("later");
  CHECK(records.damage() == "a module is damaged and was left out");
}

TEST_CASE("a number above the largest possible one is 0, with a note") {
  LedgerRecords records({});
  CHECK(records.numberUpTo(5, 5, "too large") == 5);
  CHECK(records.damage().empty());
  CHECK(records.numberUpTo(5, 6, "too large") == 0);
  CHECK(records.damage() == "too large");
}

} // namespace
} // namespace commtap
