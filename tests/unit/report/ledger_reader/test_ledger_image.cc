// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_records.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

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
