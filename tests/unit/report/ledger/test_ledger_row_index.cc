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
