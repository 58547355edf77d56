// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_row_order.h"

#include <doctest/doctest.h>

#include <vector>

namespace commtap {
namespace {

/// Returns how many of `rows` were predicted from the row before.
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

TEST_CASE("the next row of a repeating order is predicted from the second round on") {
  LedgerRowOrder<8> order;
  REQUIRE(order.create());
  LedgerRowPlace place;
  const std::vector<uint32_t> round = {0, 3, 7, 1};
  CHECK(foreseen(order, place, round) == 0);
  CHECK(foreseen(order, place, round) == 3); // only this round learns the successor of the last row
  CHECK(foreseen(order, place, round) == 4);
}

TEST_CASE("a changed order is learned, and other threads share it") {
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
