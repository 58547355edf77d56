// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_row_order.h"

#include <doctest/doctest.h>

#include <vector>

namespace commtap {
namespace {

/// How many of `rows` were foreseen by who went from one to the next.
template <size_t kRows>
int foreseen(LedgerRowOrder<kRows>& order, LedgerRowPlace& place, const std::vector<uint32_t>& rows) {
  int count = 0;
  for (const uint32_t row : rows) {
    count += place.next == row + 1 ? 1 : 0;
    order.advance(place, row);
    CHECK(place.last == row + 1);
  }
  return count;
}

TEST_CASE("who goes round in one order is told from the second round on which row comes next") {
  LedgerRowOrder<8> order;
  REQUIRE(order.create());
  LedgerRowPlace place;
  const std::vector<uint32_t> round = {0, 3, 7, 1};
  CHECK(foreseen(order, place, round) == 0);
  CHECK(foreseen(order, place, round) == 3); // what follows the last one is known only now
  CHECK(foreseen(order, place, round) == 4);
}

TEST_CASE("another order is learnt, and another thread has learnt it too") {
  LedgerRowOrder<8> order;
  REQUIRE(order.create());
  LedgerRowPlace place;
  foreseen(order, place, {0, 1, 2, 0, 1, 2});
  CHECK(foreseen(order, place, {0, 2, 1, 0}) == 1);
  CHECK(foreseen(order, place, {2, 1, 0}) == 3);
  LedgerRowPlace other;
  CHECK(foreseen(order, other, {2, 1, 0}) == 2);
}

} // namespace
} // namespace commtap
