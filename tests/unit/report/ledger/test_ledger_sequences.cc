// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "report/ledger_reader/ledger_reader.h"

namespace commtap {
namespace {

constexpr SequenceCall kCall{.what = 17, .bytes = 320, .dtype = 6, .reduce_op = 1};

std::unique_ptr<LedgerWriter> ledgerWithGroup(LedgerSize size = LedgerSize::kFull) {
  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create(size);
  REQUIRE(ledger);
  const std::vector<uint32_t> ranks{0, 1};
  ledger->addGroup("0", "default_pg", "gloo", 2, 0, ranks);
  return ledger;
}

/// Adds the next `count` collectives of group 0.
void issue(LedgerWriter& ledger, uint64_t count, const SequenceCall& call = kCall) {
  for (uint64_t i = 0; i < count; ++i) {
    ledger.addToSequence(0, ledger.nextSequence(0, false), call);
  }
}

Group groupOf(const LedgerWriter& ledger) {
  Result<LedgerContents> contents = readLedger(ledger.bytes());
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  return contents->report.groups.at(0);
}

TEST_CASE("ranks with the same collectives have the same sums, in each stretch") {
  const auto one = ledgerWithGroup();
  const auto other = ledgerWithGroup();
  for (const auto& ledger : {one.get(), other.get()}) {
    issue(*ledger, 3 * kStretchCalls + 1);
  }
  CHECK(groupOf(*one).stretches.size() == 4);
  CHECK(groupOf(*one).stretches == groupOf(*other).stretches);
}

TEST_CASE("each part of a collective changes the sum of its stretch, and of no other") {
  const auto same = ledgerWithGroup();
  issue(*same, 3 * kStretchCalls);
  const std::vector<int64_t> expected = groupOf(*same).stretches;
  SequenceCall op = kCall;
  op.what = 18;
  SequenceCall bytes = kCall;
  bytes.bytes = 324;
  SequenceCall dtype = kCall;
  dtype.dtype = 5;
  SequenceCall reduce_op = kCall;
  reduce_op.reduce_op = 2;
  SequenceCall root = kCall;
  root.root = 1;
  for (const SequenceCall& other : {op, bytes, dtype, reduce_op, root}) {
    const auto ledger = ledgerWithGroup();
    issue(*ledger, kStretchCalls + 7);
    issue(*ledger, 1, other);
    issue(*ledger, 2 * kStretchCalls - 8);
    const std::vector<int64_t> stretches = groupOf(*ledger).stretches;
    REQUIRE(stretches.size() == 3);
    CHECK(stretches[0] == expected[0]);
    CHECK(stretches[1] != expected[1]);
    CHECK(stretches[2] == expected[2]);
  }
}

TEST_CASE("two collectives that swapped places change the sum") {
  SequenceCall other = kCall;
  other.bytes = 64;
  const auto one = ledgerWithGroup();
  issue(*one, 1);
  issue(*one, 1, other);
  const auto swapped = ledgerWithGroup();
  issue(*swapped, 1, other);
  issue(*swapped, 1);
  CHECK(groupOf(*one).stretches != groupOf(*swapped).stretches);
}

TEST_CASE("the order in which threads add does not change the sums") {
  const auto alone = ledgerWithGroup();
  issue(*alone, 8 * kStretchCalls);
  const auto shared = ledgerWithGroup();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { issue(*shared, 2 * kStretchCalls); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(groupOf(*alone).stretches == groupOf(*shared).stretches);
}

TEST_CASE("a group of millions of collectives has a few hundred stretches") {
  const auto ledger = ledgerWithGroup();
  constexpr uint64_t kCalls = 3'000'000;
  issue(*ledger, kCalls);
  const Group group = groupOf(*ledger);
  CHECK(group.stretches.size() == stretchOf(kCalls) + 1);
  CHECK(group.stretches.size() < 500);
}

TEST_CASE("a damaged record of sums is left out and named") {
  const auto ledger = ledgerWithGroup();
  issue(*ledger, 10);
  ledger->records<kSequences>()[0].part = 1;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->damage == "the sums of a group's collectives is damaged and was left out");
  CHECK(contents->report.groups.at(0).stretches.empty());
}

TEST_CASE("a full table leaves the rest of a group without sums") {
  const auto ledger = ledgerWithGroup(LedgerSize::kSmall);
  const uint64_t room = ledger->header().sections[kSequences].capacity;
  for (uint32_t group = 1; group < room; ++group) {
    ledger->addToSequence(group, 1, kCall);
  }
  issue(*ledger, kStretchesPerPart * kStretchCalls + 1); // group 0 takes the last record, and needs one more
  CHECK(groupOf(*ledger).stretches.size() == kStretchesPerPart);
  issue(*ledger, 5);
  CHECK(groupOf(*ledger).stretches.size() == kStretchesPerPart);
}

TEST_CASE("a reset and a forked child start with empty sums") {
  const auto ledger = ledgerWithGroup();
  issue(*ledger, kStretchesPerPart * kStretchCalls + 1);
  ledger->zeroCounters();
  CHECK(groupOf(*ledger).stretches.empty());
  issue(*ledger, 5);
  const auto fresh = ledgerWithGroup();
  issue(*fresh, 5);
  CHECK(groupOf(*ledger).stretches == groupOf(*fresh).stretches);
  ledger->resetInForkedChild();
  issue(*ledger, 5);
  CHECK(groupOf(*ledger).stretches == groupOf(*fresh).stretches);
}

TEST_CASE("a collective without a number or a group is not in a sum") {
  const auto ledger = ledgerWithGroup();
  ledger->addToSequence(kNoIndex, 1, kCall);
  ledger->addToSequence(0, 0, kCall);
  CHECK(groupOf(*ledger).stretches.empty());
}

} // namespace
} // namespace commtap
