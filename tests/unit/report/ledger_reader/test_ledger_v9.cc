// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_v9.h"

#include <doctest/doctest.h>

#include <cstring>

#include "report/json/report_json.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger_reader/ledger_headers.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t kReasons = 24; ///< of format 9
constexpr size_t kSections = offsetof(LedgerHeader, sections);
constexpr size_t kHeaderSize = kSections + sectionsOf(ledger_v9::kVersion) * sizeof(LedgerSection) +
                               kReasons * sizeof(LedgerNotSeen) + sizeof(LedgerCost);

/// Rewrites a row of collectives as format 9 has it: a key without a label, the counters before the lane.
void makeOld(LedgerCollective& row, uint64_t number) {
  const auto words = row.key.words();
  const auto names = static_cast<uint32_t>(words[3]);
  const uint32_t check =
      checksumOf(kCollectives, number, words[0], words[1], words[2], uint64_t{names}, uint32_t{row.lane});
  std::byte old[sizeof(LedgerCollective)];
  const auto put = [&old](size_t at, const auto& value) { std::memcpy(old + at, &value, sizeof(value)); };
  put(0, words[0]);
  put(8, words[1]);
  put(16, words[2]);
  put(24, names);
  put(28, check);
  put(32, row.lowered[0].load());
  put(36, row.lowered[1].load());
  put(40, row.count.load());
  put(48, row.bytes.load());
  put(56, uint32_t{row.lane});
  put(60, uint32_t{0});
  std::memcpy(static_cast<void*>(&row), old, sizeof(old));
}

/// Returns the sample ledger as format 9 has it.
Bytes oldLedger() {
  const auto ledger = sampleLedger(0);
  Bytes bytes(ledger->bytes().begin(), ledger->bytes().end());
  auto& header = *reinterpret_cast<LedgerHeader*>(bytes.data());
  auto* rows = reinterpret_cast<LedgerCollective*>(bytes.data() + header.sections[kCollectives].offset);
  const uint64_t count = *usedIn(kCollectives, header.sections[kCollectives].used);
  for (uint64_t i = 0; i < count; ++i) {
    makeOld(rows[i], i);
  }
  header.version = ledger_v9::kVersion;
  header.header_size = kHeaderSize;
  header.check = 0;
  header.end_check = 0;
  Bytes not_seen(kReasons * sizeof(LedgerNotSeen));
  std::memcpy(not_seen.data(), header.not_seen, not_seen.size());
  Bytes cost(sizeof(LedgerCost));
  std::memcpy(cost.data(), static_cast<const void*>(&header.cost), cost.size());
  const size_t end_of_sections = kSections + sectionsOf(ledger_v9::kVersion) * sizeof(LedgerSection);
  std::copy(not_seen.begin(), not_seen.end(), bytes.begin() + end_of_sections);
  std::copy(cost.begin(), cost.end(), bytes.begin() + end_of_sections + not_seen.size());
  return bytes;
}

TEST_CASE("a ledger of format 9 is read, with the names of this version") {
  const Result<LedgerContents> old = readLedger(oldLedger());
  REQUIRE(old);
  CHECK(old->damage.empty());
  CHECK(old->report.is_old);
  CHECK(old->report.renamed.at("DistributedDataParallel") == "MLP");
  const Report now = sampleReport(0);
  REQUIRE(old->report.collectives.size() == now.collectives.size());
  for (const Collective& row : old->report.collectives) {
    CHECK_FALSE(row.module.starts_with("Distributed"));
    CHECK(row.count > 0);
    CHECK(row.label.empty());
  }
  // The old format has no sums of collectives, which take a page.
  CHECK(old->report.own_cost->ledger_bytes + kLedgerPage == now.own_cost->ledger_bytes);
}

TEST_CASE("a damaged row of format 9 is left out") {
  Bytes bytes = oldLedger();
  const auto& header = *reinterpret_cast<const LedgerHeader*>(bytes.data());
  bytes[header.sections[kCollectives].offset] ^= std::byte{1};
  const Result<LedgerContents> old = readLedger(bytes);
  REQUIRE(old);
  CHECK(old->damage == "a row of collectives is damaged and was left out");
  CHECK(old->report.collectives.size() + 1 == sampleReport(0).collectives.size());
}

TEST_CASE("a ledger of format 9 that ends inside its header is refused") {
  Bytes bytes = oldLedger();
  bytes.resize(kHeaderSize - 1);
  CHECK(readLedger(bytes).error() == "a ledger cut off inside its header (" + std::to_string(bytes.size()) + " bytes)");
}

} // namespace
} // namespace commtap
