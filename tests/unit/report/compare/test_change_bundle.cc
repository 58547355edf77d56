// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/change_bundle.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

CellKey gatherIn(const std::string& module) {
  return {module, Phase::kForward, Kind::kAllGather, "tp"};
}

TEST_CASE("layers with equal changes are one bundle") {
  const Change change{{4, 1, 10}, {4, 2, 20}};
  const CellKey key{"Net.layers.0.a", Phase::kForward, Kind::kAllGather, "tp"};
  CellKey other = key;
  other.module = "Net.layers.1.a";
  CellKey third = key;
  third.module = "Net.layers.2.b";
  const auto bundles = bundle(
      {{key, change},
       {other, change},
       {third, change},
       {{"Net.layers.3.a", Phase::kForward, Kind::kAllGather, "tp"}, {{4, 1, 10}, {4, 3, 20}}}});
  REQUIRE(bundles.size() == 3);
  CHECK(bundles[0].steps == 1);
  CHECK(bundles[0].pattern == "Net.layers.*.a");
  CHECK(bundles[0].modules.size() == 2);
  CHECK(bundles[1].pattern == "Net.layers.2.b");
  CHECK(bundles[2].pattern == "Net.layers.3.a");
}

TEST_CASE("bundles of one pattern are named by their numbers") {
  const Change small{{4, 1, 10}, {4, 2, 20}};
  const Change large{{4, 1, 10}, {4, 9, 90}};
  const auto bundles = bundle(
      {{gatherIn("Net.layers.0.a"), small},
       {gatherIn("Net.layers.2.a"), large},
       {gatherIn("Net.layers.1.a"), small},
       {gatherIn("Net.layers.3.a"), large},
       {gatherIn("Net.layers.12.a"), large}});
  REQUIRE(bundles.size() == 2);
  CHECK(bundles[0].pattern == bundles[1].pattern);
  CHECK(bundles[0].name == "Net.layers.{0-1}.a");
  CHECK(bundles[1].name == "Net.layers.{2-3,12}.a");
  const auto twice = bundle(
      {{gatherIn("Net.0.b.0"), small},
       {gatherIn("Net.1.b.1"), small},
       {gatherIn("Net.0.b.1"), large},
       {gatherIn("Net.1.b.0"), large}});
  REQUIRE(twice.size() == 2);
  CHECK(twice[0].name == "Net.0.b.0 and 1 more");
  CHECK(twice[1].name == "Net.0.b.1 and 1 more");
  const auto apart = bundle({{gatherIn("Net.0.a"), small}, {gatherIn("Net.1.a"), small}, {gatherIn("Net.2.b"), large}});
  CHECK(apart[0].name == "Net.*.a");
}

TEST_CASE("layers of other ranks are one bundle, unless their ranks changed") {
  const auto changeOn = [](RankRange before, RankRange after, const RankRanges& lost) {
    return Change{{2, 1, 10, {before}}, {2, 2, 20, {after}}, {}, lost};
  };
  CHECK(
      bundle({{gatherIn("Net.0.a"), changeOn({0, 1}, {0, 1}, {})}, {gatherIn("Net.1.a"), changeOn({2, 3}, {2, 3}, {})}})
          .size() == 1);
  CHECK(
      bundle({{gatherIn("Net.0.a"), changeOn({0, 1}, {0, 0}, {{1, 1}})},
              {gatherIn("Net.1.a"), changeOn({2, 3}, {2, 2}, {{3, 3}})}})
          .size() == 2);
}

} // namespace
} // namespace commtap
