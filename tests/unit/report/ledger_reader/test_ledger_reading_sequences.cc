// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <memory>

#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/model/stretches.h"

namespace commtap {
namespace {

/// Returns a ledger whose only group has issued `calls` collectives.
std::unique_ptr<LedgerWriter> ledgerWithCalls(uint64_t calls) {
  auto ledger = LedgerWriter::create();
  REQUIRE(ledger);
  ledger->addGroup("g", "", "gloo", 2, 0, {});
  ledger->records<kGroups>()[0].issued[0] = calls;
  return ledger;
}

TEST_CASE("the sums of a group are read up to the first part that the ledger does not have") {
  const auto ledger = ledgerWithCalls(stretchBegin(3 * kStretchesPerPart));
  ledger->addToSequence(0, 1, {});
  ledger->addToSequence(0, stretchBegin(2 * kStretchesPerPart), {});
  CHECK(readLedger(ledger->bytes())->report.groups.at(0).stretches.size() == kStretchesPerPart);
  ledger->addToSequence(0, stretchBegin(kStretchesPerPart), {});
  CHECK(readLedger(ledger->bytes())->report.groups.at(0).stretches.size() == 3 * kStretchesPerPart);
}

TEST_CASE("no sums are read beyond the last collective of a group, nor those of an unknown group") {
  const auto ledger = ledgerWithCalls(kStretchCalls + 1);
  ledger->addToSequence(0, 1, {});
  ledger->addToSequence(7, 1, {});
  CHECK(readLedger(ledger->bytes())->report.groups.at(0).stretches.size() == 2);
  ledger->records<kGroups>()[0].issued[0] = 0;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  CHECK(contents->report.groups.at(0).stretches.empty());
  CHECK(contents->damage.empty());
}

} // namespace
} // namespace commtap
