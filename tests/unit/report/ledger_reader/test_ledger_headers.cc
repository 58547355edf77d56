// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_headers.h"

#include <doctest/doctest.h>

#include <cstring>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Bytes = std::vector<std::byte>;

/// Returns the sample ledger as an older format has it, with so many reasons of `not_seen` and bytes after the own
/// cost.
Bytes ledgerOfFormat(uint32_t version, size_t reason_count, size_t bytes_at_end) {
  const auto ledger = sampleLedger(0);
  ledger->closeStep(1, StepSign::kMark);
  Bytes bytes(ledger->bytes().begin(), ledger->bytes().end());
  auto& header = *reinterpret_cast<LedgerHeader*>(bytes.data());
  const size_t begin = offsetof(LedgerHeader, sections) + sectionsOf(version) * sizeof(LedgerSection);
  const size_t reasons = reason_count * sizeof(LedgerNotSeen);
  const size_t end = sizeof(LedgerCost) + bytes_at_end;
  header.version = version;
  header.header_size = static_cast<uint32_t>(begin + reasons + end);
  header.check = 0;
  std::memmove(bytes.data() + begin, bytes.data() + offsetof(LedgerHeader, not_seen), reasons);
  std::memmove(bytes.data() + begin + reasons, bytes.data() + offsetof(LedgerHeader, cost), end);
  return bytes;
}

Bytes ledgerOfFormat10() {
  return ledgerOfFormat(10, 28, 0);
}

TEST_CASE("a ledger of format 10 is read, without what ended its steps") {
  const Result<LedgerContents> old = readLedger(ledgerOfFormat10());
  REQUIRE(old);
  CHECK(old->damage.empty());
  CHECK_FALSE(old->report.is_old);
  const Report now = sampleReport(0);
  CHECK(old->report.steps.size() == now.steps.size() + 1);
  CHECK_FALSE(old->report.job.steps_from);
  CHECK(old->report.collectives.size() == now.collectives.size());
  CHECK(old->report.own_cost->start_ns == now.own_cost->start_ns);
}

TEST_CASE("a ledger of format 11 is read, with what ended its steps") {
  const Result<LedgerContents> old = readLedger(ledgerOfFormat(11, 29, 2 * sizeof(uint32_t)));
  REQUIRE(old);
  CHECK(old->damage.empty());
  CHECK(old->report.job.steps_from == StepSign::kMark);
  const Report now = sampleReport(0);
  CHECK(old->report.collectives.size() == now.collectives.size());
  CHECK(old->report.own_cost->start_ns == now.own_cost->start_ns);
  CHECK(old->report.not_seen.size() == now.not_seen.size());
}

TEST_CASE("a ledger of format 12 is read, without the sums of its groups' collectives") {
  const Result<LedgerContents> old = readLedger(ledgerOfFormat(12, 30, 2 * sizeof(uint32_t)));
  REQUIRE(old);
  CHECK(old->damage.empty());
  CHECK(old->report.collectives.size() == sampleReport(0).collectives.size());
  for (const Group& group : old->report.groups) {
    CHECK(group.stretches.empty());
  }
}

TEST_CASE("a ledger of format 13 is read, without members of merged rows") {
  const Result<LedgerContents> old = readLedger(ledgerOfFormat(13, 31, 2 * sizeof(uint32_t)));
  REQUIRE(old);
  CHECK(old->damage.empty());
  CHECK(old->report.collectives.size() == sampleReport(0).collectives.size());
  CHECK(old->report.groups.at(0).stretches == sampleReport(0).groups.at(0).stretches);
}

TEST_CASE("a ledger of format 14 is read, without set-up and open calls to NCCL") {
  const Result<LedgerContents> old = readLedger(ledgerOfFormat(14, 32, 2 * sizeof(uint32_t)));
  REQUIRE(old);
  CHECK(old->damage.empty());
  CHECK(old->report.collectives.size() == sampleReport(0).collectives.size());
  CHECK_FALSE(old->report.collectives.at(0).setup);
  CHECK(old->report.members == sampleReport(0).members);
}

TEST_CASE("a ledger of an old format that ends inside its header is refused") {
  Bytes bytes = ledgerOfFormat10();
  bytes.resize(oldHeaderSize(10) - 1);
  CHECK(readLedger(bytes).error() == "a ledger cut off inside its header (" + std::to_string(bytes.size()) + " bytes)");
  CHECK(oldHeaderOf(bytes, 10) == nullptr);
}

TEST_CASE("a header of another size than its format's is refused") {
  Bytes bytes = ledgerOfFormat10();
  reinterpret_cast<LedgerHeader*>(bytes.data())->header_size -= 8;
  CHECK(oldHeaderOf(bytes, 10) == nullptr);
}

} // namespace
} // namespace commtap
