// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/rank_slots.h"

#include <functional>
#include <string>

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("equal sets of slots have one index and their ranks") {
  RankSets sets;
  SlotSet first;
  SlotSet second;
  for (const auto& rank : {std::optional<int64_t>(0), {4}, {8}, {}}) {
    const RankSlot slot = sets.addSlot(rank);
    first.add(slot);
    first.add(slot);
    second.add(slot);
  }
  CHECK(first.runs().size() == 1);
  CHECK(sets.idOf(first) == sets.idOf(second));
  SlotSet third;
  third.add(0);
  third.add(2);
  CHECK(sets.idOf(third) != sets.idOf(first));
  CHECK(sets.sets()[sets.idOf(first)] == RankRanges{{0, 0}, {4, 4}, {8, 8}});
  CHECK(sets.sets()[sets.idOf(third)] == RankRanges{{0, 0}, {8, 8}});
}

TEST_CASE("a spread has its minimum and maximum, with the lowest of equal ranks") {
  RankedAmount amount;
  addToSpreads(amount, {2, 20, 5}, 3);
  addToSpreads(amount, {1, 30, 5}, 4);
  addToSpreads(amount, {1, 30, 5}, std::nullopt);
  CHECK(amount.ranks == 3);
  CHECK(amount.count.sum == 4);
  CHECK(amount.count.min == 1);
  CHECK(amount.count.min_rank == 4);
  CHECK(amount.count.max_rank == 3);
  CHECK(amount.bytes.max == 30);
  CHECK(amount.bytes.max_rank == 4);
  CHECK(amount.bus_bytes.min_rank == 3);
}

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
