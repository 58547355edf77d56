// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("recover converts a killed process's ledger and prints the report's path") {
  const TempFolder folder;
  const auto ledger = sampleLedger(1);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  const Outcome outcome = runCommtap({"recover", folder.path()});
  CHECK(outcome.status() == 0);
  CHECK(outcome.out == (folder / "rank-00001.json") + "\n");
  const Outcome again = runCommtap({"recover", folder.path()});
  CHECK(again.status() == 0);
  CHECK(again.err.find("nothing to recover") != std::string::npos);
}

TEST_CASE("recover exits with 1 for an unreadable ledger and with 2 for a missing folder") {
  const TempFolder folder;
  writeText(folder / "bad.ledger", "x");
  CHECK(runCommtap({"recover", folder.path()}).status() == 1);
  CHECK(runCommtap({"recover", folder / "bad.ledger"}).status() == 2);
  CHECK(runCommtap({"recover", folder / "none"}).status() == 2);
}

} // namespace
} // namespace commtap
