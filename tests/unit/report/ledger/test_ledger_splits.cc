// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_splits.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "report/ledger/ledger_writer.h"

namespace commtap {
namespace {

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
      LedgerWriter::countSplits(*splits, 1000 + i, 2);
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
  LedgerWriter::countSplits(*splits, 2000, 1);
  ledger->peersOf(*splits)[1].bytes = 9;
  ledger->zeroCounters();
  CHECK(ledger->splitsOf(0, 2, 0) == splits);
  CHECK(splits->calls == 0);
  CHECK(splits->imbalance_max == 0);
  CHECK(ledger->peersOf(*splits)[1].bytes == 0);
}

TEST_CASE("a forked child finds the parent's records") {
  const std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  REQUIRE(ledger);
  LedgerWriter::countSplits(*ledger->splitsOf(0, 2, 0), 2000, 1);
  const LedgerSplits* before = ledger->splitsOf(0, 2, 0);
  ledger->repairInForkedChild();
  ledger->resetInForkedChild();
  CHECK(ledger->splitsOf(0, 2, 0) == before);
  CHECK(before->calls == 0);
}

} // namespace
} // namespace commtap
