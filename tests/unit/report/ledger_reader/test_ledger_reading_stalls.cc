// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"

namespace commtap {
namespace {

/// A ledger with two records of one row of the report, because their sizes differ, for which "net" stood still.
struct StallLedger {
  StallLedger() {
    key.op = ledger->intern("c10d.allreduce_");
    key.group = kNoIndex;
    net = ledger->addModule(kGlobalModule, "net", "Net", 0);
    expose(1, net, 70);
    expose(2, net, 30);
    expose(2, kGlobalModule, 5);
  }

  void expose(uint8_t size_class, uint32_t module, uint64_t ns) {
    const LedgerCollective& row = rowOf(size_class);
    ledger->countDuration(row, *ledger->timesOf(rowOf(size_class)), DurationKind::kExposed, ns);
    ledger->countStall(row, module, Phase::kBackward, ns);
  }
  LedgerCollective& rowOf(uint8_t size_class) {
    key.size_class = size_class & kSizeClassBits;
    LedgerCollective* row = ledger->row(key);
    REQUIRE(row != nullptr);
    ledger->count(*row, {1, 8});
    return *row;
  }

  /// Returns where the row stood still, which always adds up to its exposed time.
  Stalls stalls() const {
    Result<LedgerContents> contents = readLedger(ledger->bytes());
    REQUIRE(contents);
    REQUIRE(contents->report.collectives.size() == 1);
    const CollectiveTime& time = contents->report.collectives[0].time;
    Stall sum;
    for (const auto& [place, stall] : time.stalled_in) {
      sum = {sum.count + stall.count, sum.exposed_ns + stall.exposed_ns};
    }
    CHECK(sum == Stall{time.of(DurationKind::kExposed).count, time.of(DurationKind::kExposed).sum_ns});
    return time.stalled_in;
  }
  LedgerStall& record(uint64_t number) const {
    return ledger->records<kStalls>()[number];
  }

  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create(LedgerSize::kSmall);
  CollectiveKey key{};
  uint32_t net = 0;
};

TEST_CASE("the modules that stood still for a row are added up by module and phase") {
  CHECK(
      StallLedger().stalls() == Stalls{{{"net", Phase::kBackward}, {2, 100}}, {{"Global", Phase::kBackward}, {1, 5}}});
}

TEST_CASE("exposed time without a module is of an unknown one") {
  StallLedger made;
  made.ledger->countDuration(made.rowOf(1), *made.ledger->timesOf(made.rowOf(1)), DurationKind::kExposed, 7);
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{1, 7});
}

TEST_CASE("when the table is full, exposed time is of an unknown module and in not_seen") {
  StallLedger made;
  const auto modules = static_cast<uint32_t>(kSmallLedger.capacities[kStalls]);
  for (uint32_t module = 0; module < modules; ++module) {
    made.expose(1, made.ledger->addModule(kGlobalModule, std::to_string(module), "Net", 0), 10);
  }
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{3, 30});
  CHECK(made.ledger->header().not_seen[static_cast<size_t>(NotSeen::kStallsFull)].count.load() == 3);
}

TEST_CASE("stalls beyond the exposed time are cut; a damaged record, or one of an unknown row, is left out") {
  StallLedger made;
  made.record(0).exposed_ns = 1000;
  CHECK(made.stalls().at({"Global", Phase::kBackward}) == Stall{1, 5});
  CHECK(made.stalls().at({"net", Phase::kBackward}) == Stall{2, 100});
  made.record(0).key.row = 99;
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{1, 70});
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{1, 70});
}

TEST_CASE("a reset zeroes the stalls and keeps their records; a forked child finds them") {
  StallLedger made;
  made.ledger->repairInForkedChild();
  made.ledger->zeroCounters();
  made.expose(1, made.net, 3);
  CHECK(made.stalls() == Stalls{{{"net", Phase::kBackward}, {1, 3}}});
  CHECK(made.record(0).exposed_ns == 3);
}

} // namespace
} // namespace commtap
