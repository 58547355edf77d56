// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_store.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "report/ledger/ledger_format.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/report/ledger/ledger_samples.h"

namespace commtap {
namespace {

TEST_CASE("equal strings are stored once, the empty string is not stored") {
  const auto ledger = LedgerWriter::create();
  CHECK(ledger->intern("") == 0);
  const StringId first = ledger->intern("all_reduce");
  CHECK(ledger->intern("all_reduce") == first);
  CHECK(ledger->intern("all_gather") != first);
  CHECK(ledger->text(first) == "all_reduce");
}

TEST_CASE("a string is cut at the longest that the ledger has; one that does not fit is \"?\" and counted") {
  const auto ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  const StringId cut = ledger->intern(std::string(kMaxString + 1, 'x'));
  CHECK(ledger->text(cut) == std::string(kMaxString, 'x'));
  const StringId unknown = ledger->intern("?");
  for (uint64_t i = 0; i <= kSmallLedger.capacities[kStrings] / kMaxString; ++i) {
    ledger->intern(std::to_string(i) + std::string(kMaxString, 'x'));
  }
  CHECK(ledger->intern(std::string(kMaxString, 'y')) == unknown);
  CHECK(notSeenOf(readLedger(ledger->bytes())->report, "strings_full") > 0);
}

TEST_CASE("the detail of what was not seen is that of its first time") {
  const auto ledger = LedgerWriter::create();
  ledger->notSeen(NotSeen::kUnknownOp, "first", 2);
  ledger->notSeen(NotSeen::kUnknownOp, "second");
  const Report report = readLedger(ledger->bytes())->report;
  REQUIRE(report.not_seen.size() == 1);
  CHECK(report.not_seen[0].count == 3);
  CHECK(report.not_seen[0].detail == "first");
}

/// Returns the number of bytes of a key that affect its words: a change of such a byte makes a different key.
template <typename Key>
size_t bytesThatCount() {
  size_t count = 0;
  for (size_t i = 0; i < sizeof(Key); ++i) {
    Key key{};
    const Key other = key;
    reinterpret_cast<unsigned char*>(&key)[i] = 1;
    count += areEqual(key.words(), other.words()) ? 0 : 1;
  }
  return count;
}

TEST_CASE("every field of a row key is part of its words") {
  CHECK(bytesThatCount<CollectiveKey>() == sizeof(CollectiveKey));
  CHECK(bytesThatCount<OperationKey>() == sizeof(OperationKey) - sizeof(OperationKey::reserved));
  CHECK(bytesThatCount<NcclKey>() == sizeof(NcclKey));
}

TEST_CASE("rows are found by their keys, even with many hash collisions") {
  constexpr size_t kSize = 8;
  LedgerRowIndex<LedgerOperation, kSize> index;
  CHECK_FALSE(index.exists());
  REQUIRE(index.create());
  std::vector<LedgerOperation> rows(kSize - 1); // one slot stays free, otherwise a search would not end
  for (uint32_t i = 0; i < rows.size(); ++i) {
    rows[i].key.module = i;
    CHECK(index.find(rows[i].key, rows.data()) == nullptr);
    index.add(rows[i].key, i);
  }
  for (LedgerOperation& row : rows) {
    CHECK(index.find(row.key, rows.data()) == &row);
  }
}

} // namespace

} // namespace commtap
