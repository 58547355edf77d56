// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_row_index.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "report/ledger/ledger_format.h"

namespace commtap {
namespace {

/// How many of a key's bytes are part of its words: a changed one makes another key.
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

TEST_CASE("every field of a key is one of its words") {
  CHECK(bytesThatCount<CollectiveKey>() == sizeof(CollectiveKey) - sizeof(CollectiveKey::reserved));
  CHECK(bytesThatCount<OperationKey>() == sizeof(OperationKey) - sizeof(OperationKey::reserved));
  CHECK(bytesThatCount<NcclKey>() == sizeof(NcclKey));
}

TEST_CASE("rows are found by their keys, also where many share a place") {
  constexpr size_t kSize = 8;
  LedgerRowIndex<LedgerOperation, kSize> index;
  CHECK_FALSE(index.exists());
  REQUIRE(index.create());
  std::vector<LedgerOperation> rows(kSize - 1); // one place stays free, or a search would not end
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
