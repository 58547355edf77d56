// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

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

TEST_CASE("a row that has taken over a call has its durations, and the call among the last ones") {
  const MergedLedger made;
  LedgerWriter& ledger = *made.ledger;
  LedgerCollective& to = *ledger.row(made.keyOf(made.b));
  ledger.count(*made.row, {1, 24});
  ledger.countDuration(*made.row, *ledger.timesOf(*made.row), DurationKind::kRunning, 70);
  const LedgerLast& last = ledger.noteLast(ledger.numberOf(made.row), 1, 24, -1, 5);
  ledger.count(to, {1, 24});
  ledger.count(*made.row, {~uint64_t{0}, ~uint64_t{24} + 1});
  ledger.moveLast(last.number.load(), ledger.numberOf(&to));
  ledger.moveLast(0, 99);
  ledger.moveLast(last.number.load() + 1, 99); // of no collective yet
  CHECK(ledger.moveTimes(*made.row, to));
  CHECK(ledger.moveTimes(*made.row, to)); // there are none
  const Report report = made.report();
  REQUIRE(report.collectives.size() == 1);
  CHECK(report.collectives[0].module == "Net.b");
  CHECK(report.collectives[0].time.of(DurationKind::kRunning).sum_ns == 70);
  REQUIRE(report.last.size() == 1);
  CHECK(report.last[0].module == "Net.b");
  CHECK(ledger.timesOf(*made.row) != nullptr);
  CHECK_FALSE(ledger.moveTimes(*made.row, to)); // both have some
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

uint64_t notSeen(const LedgerWriter& ledger) {
  return ledger.header().not_seen[static_cast<size_t>(NotSeen::kSplitsFull)].count.load();
}

TEST_CASE("threads count in one record per row and number of parts") {
  const std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  REQUIRE(ledger);
  constexpr uint64_t kCalls = 1000;
  const auto count = [&] {
    for (uint64_t i = 0; i < kCalls; ++i) {
      LedgerSplits* splits = ledger->splitsOf(7, 3, 0);
      LedgerWriter::countSplits(*splits, 1000 + i, 2, 3);
      ledger->peersOf(*splits)[i % 3].bytes.fetch_add(5);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(count);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const LedgerSplits* splits = ledger->splitsOf(7, 3, 0);
  CHECK(splits->calls == 4 * kCalls);
  CHECK(splits->imbalance_sum == 4 * (kCalls * 1000 + kCalls * (kCalls - 1) / 2));
  CHECK(splits->imbalance_max == 1000 + kCalls - 1);
  CHECK(splits->zero_peers == 4 * kCalls * 2);
  CHECK(splits->received_more == 4 * kCalls * 3);
  const LedgerSplitPeer* peers = ledger->peersOf(*splits);
  CHECK(peers[0].bytes + peers[1].bytes + peers[2].bytes == 4 * kCalls * 5);
  CHECK(ledger->splitsOf(7, 4, 0) != splits);
  CHECK(ledger->splitsOf(8, 3, 0) != splits);
  CHECK(notSeen(*ledger) == 0);
}

TEST_CASE("a row of more peers than the bound has none, and a full table is in not_seen") {
  const std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  const LedgerSplits* wide = ledger->splitsOf(0, kMostSplitPeers + 1, 0);
  REQUIRE(wide != nullptr);
  CHECK(ledger->peersOf(*wide) == nullptr);
  CHECK(notSeen(*ledger) == 1);
  CHECK(ledger->splitsOf(0, kMostSplitPeers + 1, 0) == wide);
  CHECK(notSeen(*ledger) == 1);
  const uint64_t rows = kSmallLedger.capacities[kSplits];
  for (uint32_t row = 1; row < rows; ++row) {
    REQUIRE(ledger->splitsOf(row, 2, 0) != nullptr);
  }
  CHECK(ledger->splitsOf(static_cast<uint32_t>(rows), 2, 0) == nullptr);
  CHECK(notSeen(*ledger) == 2);
}

TEST_CASE("a reset zeroes the counters and keeps the records") {
  const std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  REQUIRE(ledger);
  LedgerSplits* splits = ledger->splitsOf(0, 2, 0);
  LedgerWriter::countSplits(*splits, 2000, 1, 4);
  ledger->peersOf(*splits)[1].bytes = 9;
  ledger->zeroCounters();
  CHECK(ledger->splitsOf(0, 2, 0) == splits);
  CHECK(splits->calls == 0);
  CHECK(splits->imbalance_max == 0);
  CHECK(splits->received_more == 0);
  CHECK(ledger->peersOf(*splits)[1].bytes == 0);
}

TEST_CASE("a forked child finds the parent's records") {
  const std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  REQUIRE(ledger);
  LedgerWriter::countSplits(*ledger->splitsOf(0, 2, 0), 2000, 1, 0);
  const LedgerSplits* before = ledger->splitsOf(0, 2, 0);
  ledger->repairInForkedChild();
  ledger->resetInForkedChild();
  CHECK(ledger->splitsOf(0, 2, 0) == before);
  CHECK(before->calls == 0);
}

} // namespace

} // namespace commtap
