// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_collectives.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"

namespace commtap {
namespace {

/// A ledger with the modules Net.a and Net.b, and a row of Net whose calls carry 24 bytes.
class MergedLedger {
 public:
  explicit MergedLedger(LedgerSize size = LedgerSize::kFull) : ledger(LedgerWriter::create(size)) {
    REQUIRE(ledger);
    net = ledger->addModule(0, "Net", "Net", 0);
    a = ledger->addModule(net, "a", "Linear", 0);
    b = ledger->addModule(net, "b", "Linear", 0);
    row = ledger->row(keyOf(net));
    REQUIRE(row != nullptr);
  }

  CollectiveKey keyOf(uint32_t module) const {
    return CollectiveKey{
        .module = module,
        .issued_in = net,
        .op = ledger->intern("_c10d_functional.all_gather_into_tensor"),
        .group = kNoIndex,
        .dtype = 0,
        .reduce_op = 0,
        .kind = Kind::kAllGather,
        .phase = Phase::kForward,
        .async_op = AsyncOp::kYes,
        .setup = 0,
        .size_class = 5,
        .compiled = 1,
        .label = 0};
  }

  void issue() const {
    ledger->count(*row, {1, 24});
    ledger->countMember(*row, a, {1, 8});
    ledger->countMember(*row, b, {1, 16});
  }

  Report report() const {
    Result<LedgerContents> contents = readLedger(ledger->bytes());
    REQUIRE(contents);
    return contents->report;
  }

  std::unique_ptr<LedgerWriter> ledger;
  uint32_t net = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  LedgerCollective* row = nullptr;
};

TEST_CASE("the members of a merged row are in the report, whichever threads count") {
  const MergedLedger merged;
  std::vector<std::thread> threads(2);
  for (std::thread& thread : threads) {
    thread = std::thread([&merged] { merged.issue(); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(merged.report().members == std::vector<Member>{{0, "Net.a", 16, 2}, {0, "Net.b", 32, 2}});
}

TEST_CASE("a module whose collectives were merged twice into one call is one member") {
  const MergedLedger merged;
  merged.ledger->count(*merged.row, {1, 24});
  merged.ledger->countMember(*merged.row, merged.a, {1, 8});
  merged.ledger->countMember(*merged.row, merged.a, {1, 16});
  CHECK(merged.report().members == std::vector<Member>{{0, "Net.a", 24, 2}});
}

TEST_CASE("a row that also has calls which nothing merged has no members") {
  const MergedLedger merged;
  merged.issue();
  merged.ledger->count(*merged.row, {1, 24});
  CHECK(merged.report().members.empty());
}

TEST_CASE("a damaged member is noted, and its row has none") {
  const MergedLedger merged;
  merged.issue();
  merged.ledger->records<kMembers>()[1].key.module = merged.a;
  const Result<LedgerContents> contents = readLedger(merged.ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->damage == "a member of a row of collectives is damaged and was left out");
  CHECK(contents->report.members.empty());
}

TEST_CASE("a full table is said") {
  const MergedLedger merged(LedgerSize::kSmall);
  const uint64_t room = merged.ledger->header().sections[kMembers].capacity;
  for (uint64_t i = 0; i <= room; ++i) {
    merged.ledger->countMember(*merged.row, static_cast<uint32_t>(i), {1, 1});
  }
  CHECK(merged.ledger->header().not_seen[static_cast<size_t>(NotSeen::kMembersUnknown)].count == 1);
}

TEST_CASE("after a reset, and in a forked child, members are counted from zero") {
  const MergedLedger merged;
  merged.issue();
  SUBCASE("a reset") {
    merged.ledger->zeroCounters();
  }
  SUBCASE("a forked child") {
    merged.ledger->repairInForkedChild();
    merged.ledger->resetInForkedChild();
  }
  CHECK(merged.report().members.empty());
  merged.issue();
  CHECK(merged.report().members == std::vector<Member>{{0, "Net.a", 8, 1}, {0, "Net.b", 16, 1}});
}

} // namespace
} // namespace commtap
