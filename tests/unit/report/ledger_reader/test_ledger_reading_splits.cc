// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <array>
#include <memory>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"

namespace commtap {
namespace {

/// A ledger with a group of the global ranks 4 and 6, and two records of one row of the report: their sizes differ.
struct SplitLedger {
  SplitLedger() {
    key.op = ledger->intern("c10d.alltoall_base_");
    key.kind = Kind::kAllToAll;
    key.group = ledger->addGroup("0", "ep", "gloo", 2, 0, std::array<uint32_t, 2>{4, 6});
    count(1, {8, 24}, 1500);
    count(2, {0, 64}, 2000);
  }

  void count(uint8_t size_class, std::array<uint64_t, 2> bytes, uint64_t imbalance) {
    key.size_class = size_class & kSizeClassBits;
    LedgerCollective* row = ledger->row(key);
    REQUIRE(row != nullptr);
    ledger->count(*row, {1, bytes[0] + bytes[1]});
    LedgerSplits* splits = ledger->splitsOf(ledger->numberOf(row), 2, key.op);
    REQUIRE(splits != nullptr);
    LedgerWriter::countSplits(*splits, imbalance, bytes[0] == 0 ? 1 : 0);
    for (size_t i = 0; i < bytes.size(); ++i) {
      ledger->peersOf(*splits)[i].bytes += bytes[i];
    }
  }

  LedgerContents read() const {
    Result<LedgerContents> contents = readLedger(ledger->bytes());
    REQUIRE(contents);
    REQUIRE(contents->report.collectives.size() == 1);
    return std::move(*contents);
  }

  LedgerSplits& record(uint64_t number) const {
    return ledger->records<kSplits>()[number];
  }

  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  CollectiveKey key{};
};

TEST_CASE("the records of one row are added up, by global rank") {
  const Splits splits = SplitLedger().read().report.collectives[0].splits;
  CHECK(splits.calls == 2);
  CHECK(splits.imbalance == Imbalance{1.75, 2});
  CHECK(splits.zero_peers == 1);
  CHECK(splits.peers == PeerBytes{{4, 8}, {6, 88}});
  CHECK(splits.hottest_peer == 6);
  CHECK(splits.coldest_peer == 4);
}

TEST_CASE("a record without calls is left out") {
  const SplitLedger made;
  made.record(0).calls = 0;
  CHECK(made.read().report.collectives[0].splits.peers == PeerBytes{{4, 0}, {6, 64}});
  made.record(1).calls = 0;
  CHECK(made.read().report.collectives[0].splits == Splits());
}

TEST_CASE("a damaged record is left out; peers that are not there, or of another number than ranks, are not known") {
  const SplitLedger made;
  made.record(0).first_peer = 1U << 20U;
  CHECK(made.read().damage == "the split sizes of a row of collectives is damaged and was left out");
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.read().damage.empty());
  CHECK(made.read().report.collectives[0].splits.calls == 2);
  CHECK(made.read().report.collectives[0].splits.peers.empty());
  made.record(0).first_peer = 0;
  made.record(0).key.peers = 3;
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.read().report.collectives[0].splits.peers.empty());
  made.record(0).key = {99, 2};
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.read().report.collectives[0].splits.calls == 1);
}

} // namespace
} // namespace commtap
