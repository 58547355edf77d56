// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/rank_slots.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace commtap {
namespace {

using Rows = RankRows<std::string, std::hash<std::string>, Amount, RankedAmount>;

TEST_CASE("a rank's amounts of a row are added up before ranks are compared") {
  Rows rows;
  RankSets sets;
  rows.add("a", {1, 10, 0});
  rows.add("a", {2, 20, 0});
  rows.add("b", {1, 1, 0});
  rows.endRank(sets.addSlot(3), 3);
  rows.add("a", {1, 5, 0});
  rows.endRank(sets.addSlot(std::nullopt), std::nullopt);
  rows.endRank(sets.addSlot(4), 4);

  REQUIRE(rows.rows().size() == 2);
  const Rows::Row& a = rows.rows().at("a");
  CHECK(a.sum.ranks == 2);
  CHECK(a.sum.count.sum == 4);
  CHECK(a.sum.bytes.max == 30);
  CHECK(a.sum.bytes.max_rank == 3);
  CHECK(a.sum.bytes.min == 5);
  CHECK_FALSE(a.sum.bytes.min_rank);
  CHECK(sets.sets()[sets.idOf(rows.rows().at("b").slots)] == RankRanges{{3, 3}});
}

} // namespace
} // namespace commtap
