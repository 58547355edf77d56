// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_records.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
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

TEST_CASE("a LedgerImage has the records of the file") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  const auto image = LedgerImage::load(folder / "x.ledger");
  REQUIRE(image);
  REQUIRE(image->bytes().size() == ledger->bytes().size());
  CHECK(std::memcmp(image->bytes().data(), ledger->bytes().data(), ledger->bytes().size()) == 0);
}

TEST_CASE("a LedgerImage of a truncated file has the remaining records; other bad files are errors") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  REQUIRE(truncate((folder / "x.ledger").c_str(), 5000) == 0);
  CHECK(LedgerImage::load(folder / "x.ledger")->bytes().size() == 5000);
  writeText(folder / "empty", "");
  CHECK(LedgerImage::load(folder / "empty")->bytes().empty());
  CHECK(LedgerImage::load(folder / "none").error().find("cannot be opened") == 0);
  CHECK(LedgerImage::load(folder.path()).error() == "not a commtap ledger");
}

TEST_CASE("opening a named pipe as a LedgerImage does not block") {
  const TempFolder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(LedgerImage::load(folder / "pipe").error() == "not a commtap ledger");
  CHECK_FALSE(isLedgerFile(folder / "pipe"));
}

TEST_CASE("a ledger is recognized by its first bytes") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x"));
  writeText(folder / "json", "{}");
  CHECK(isLedgerFile(folder / "x"));
  CHECK_FALSE(isLedgerFile(folder / "json"));
  CHECK_FALSE(isLedgerFile(folder / "none"));
}

} // namespace
} // namespace commtap
