// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Returns a ledger with one call of 8 bytes, of the op "sum".
std::unique_ptr<LedgerWriter> ledgerWithCall(Kind kind) {
  auto ledger = LedgerWriter::create();
  REQUIRE(ledger);
  CollectiveKey key{};
  key.op = ledger->intern("sum");
  key.kind = kind;
  key.group = ledger->addGroup("g", "", "gloo", 2, 0, {});
  countOne(*ledger, key, 8);
  return ledger;
}

LastCollective lastOf(const LedgerWriter& ledger) {
  const Result<LedgerContents> contents = readLedger(ledger.bytes());
  REQUIRE(contents);
  REQUIRE(contents->report.last.size() == 1);
  return contents->report.last[0];
}

/// Returns the only entry of the last collectives.
LedgerLast& entryOf(const LedgerWriter& ledger) {
  LedgerLast* entries = ledger.records<kLast>();
  while (entries->number == 0) {
    ++entries;
  }
  return *entries;
}

TEST_CASE("steps after a gap are left out, with a note; the running step is still the last") {
  const auto ledger = LedgerWriter::create();
  for (int i = 0; i < 4; ++i) {
    ledger->closeStep(1000, StepSign::kOptimizer);
  }
  ledger->records<kSteps>()[3].first_step = 9;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->damage == "the steps do not follow each other; those after the gap were left out");
  REQUIRE(contents->report.steps.size() == 3);
  CHECK(contents->report.steps[1].first_step == 1);
  CHECK(contents->report.steps[2].first_step == 4);
}

TEST_CASE("the amounts of a damaged lane are those of an unknown kind and group") {
  const auto ledger = ledgerWithCall(Kind::kAllReduce);
  ledger->records<kLanes>()[0].kind = Kind::kSend;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  CHECK_FALSE(contents->damage.empty());
  REQUIRE(contents->report.steps.size() == 1);
  CHECK(contents->report.steps[0].collectives == std::vector<StepAmount>{{Kind::kOther, "?", 1, 8}});
}

TEST_CASE("the last collective of a damaged row has unknown names, and its own numbers") {
  const auto ledger = ledgerWithCall(Kind::kAllReduce);
  CHECK(lastOf(*ledger).op == "sum");
  ledger->records<kCollectives>()[0].key.phase = Phase::kOptimizer;
  const LastCollective last = lastOf(*ledger);
  CHECK(last.op == "?");
  CHECK(last.module == "?");
  CHECK(last.bytes == 8);
  CHECK(last.number == 1);
}

TEST_CASE("the other rank of a last collective is its root or its peer, by its kind") {
  for (const Kind kind : {Kind::kBroadcast, Kind::kSend}) {
    const auto ledger = ledgerWithCall(kind);
    CHECK_FALSE(lastOf(*ledger).root);
    CHECK_FALSE(lastOf(*ledger).peer);
    entryOf(*ledger).peer = 3;
    CHECK(lastOf(*ledger).root.has_value() == (kind == Kind::kBroadcast));
    CHECK(lastOf(*ledger).peer.has_value() == (kind == Kind::kSend));
  }
}

TEST_CASE("a state that no version has written is read as issued") {
  const auto ledger = ledgerWithCall(Kind::kAllReduce);
  entryOf(*ledger).state = 99;
  CHECK(lastOf(*ledger).state == LastState::kIssued);
}

} // namespace
} // namespace commtap
