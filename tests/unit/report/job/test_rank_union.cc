// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_summary.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the union of ranks is in order, and neighbours are one range") {
  CHECK(rangesText(unionOf({{4, 7}}, {{0, 3}, {9, 9}})) == "0-7,9");
  CHECK(rangesText(unionOf({{0, 8}}, {{2, 3}})) == "0-8");
  CHECK(unionOf({}, {}).empty());
}

TEST_CASE("ranks that are in both sets, and in the first only") {
  const RankRanges some = {{0, 3}, {6, 9}};
  CHECK(rangesText(intersectionOf(some, {{2, 7}})) == "2-3,6-7");
  CHECK(rangesText(differenceOf(some, {{2, 7}})) == "0-1,8-9");
  CHECK(rangesText(differenceOf(some, {{1, 1}, {3, 3}})) == "0,2,6-9");
  CHECK(differenceOf(some, {{0, 9}}).empty());
  CHECK(differenceOf(some, {}) == some);
  CHECK(intersectionOf(some, {{4, 5}}).empty());
}

TEST_CASE("the ranks of several rows count once, and so do processes without a rank") {
  RankUnion both;
  both.add({{0, 1}}, 2);
  both.add({{0, 1}}, 2);
  both.add({{1, 3}}, 3);
  CHECK(both.count() == 4);
  CHECK(rangesText(both.ranks()) == "0-3");
  RankUnion unranked;
  unranked.add({}, 2);
  unranked.add({}, 1);
  CHECK(unranked.count() == 2);
}

} // namespace
} // namespace commtap
