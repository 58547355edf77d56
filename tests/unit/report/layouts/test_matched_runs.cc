// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/matched_runs.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

WholeRun runOf(const std::vector<std::string>& names) {
  WholeRun run;
  for (const std::string& name : names) {
    run.parameters.push_back({.name = name, .dtype = "float32"});
  }
  return run;
}

std::vector<std::string>
matched(const std::vector<std::string>& one, const std::vector<std::string>& like, NotCompared& not_compared) {
  const WholeRun run = runOf(one);
  const WholeRun other = runOf(like);
  std::vector<std::string> names;
  for (const MatchedParameter& each : matchedParameters(run, other, not_compared)) {
    names.push_back(each.one->name + "=" + each.like->name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("names match whole, else without the class of the model, unless several have the rest") {
  NotCompared none;
  CHECK(matched({"Net.a", "Net.b"}, {"Net.b", "Net.a"}, none) == Names{"Net.a=Net.a", "Net.b=Net.b"});
  CHECK(matched({"Stage.a"}, {"Net.a"}, none) == Names{"Stage.a=Net.a"});
  CHECK(none.empty());
  CHECK(matched({"Maker.w", "Judge.w"}, {"Painter.w", "Judge.w"}, none) == Names{"Judge.w=Judge.w"});
  CHECK(none.size() == 2); // reasons
}

TEST_CASE("what has no partner is named") {
  NotCompared none;
  CHECK(matched({"Net.qkv"}, {"Net.q", "Net.k"}, none).empty());
  CHECK(none["only the other run has one of this name"].size() == 2);
}

WholeDigest digest(double scale, double turn) {
  WholeDigest made{.has_squares = true, .has_sums = true};
  for (int j = 0; j < kDigestSums; ++j) {
    made.sums[j] = scale * (j % 2 == 0 ? 1 : -1) + (j < 4 ? turn : -turn);
    made.squares += made.sums[j] * made.sums[j] / kDigestSums;
  }
  return made;
}

TEST_CASE("a difference is a ratio of the norms, and what the ratio leaves") {
  const std::optional<Difference> twice = differenceOf(digest(2, 0), digest(1, 0), false);
  REQUIRE(twice);
  CHECK(twice->ratio == doctest::Approx(2));
  CHECK(twice->direction == doctest::Approx(0));
  CHECK(twice->distance == doctest::Approx(0.5));
  CHECK(differenceOf(digest(-1, 0), digest(1, 0), false)->ratio == doctest::Approx(-1));
  const std::optional<Difference> turned = differenceOf(digest(1, 0.1), digest(1, 0), false);
  REQUIRE(turned);
  CHECK(turned->direction == doctest::Approx(0.1).epsilon(0.05));
  CHECK(differenceOf(digest(1, 0.1), digest(1, 0), true)->direction == 0);
  CHECK_FALSE(differenceOf(digest(0, 0), digest(0, 0), false));
  CHECK_FALSE(differenceOf(WholeDigest(), digest(1, 0), false));
  WholeDigest summed = digest(3, 0);
  summed.has_squares = false; // parts of a sum
  CHECK(differenceOf(summed, digest(1, 0), false)->ratio == doctest::Approx(3));
  CHECK_FALSE(differenceOf(summed, digest(1, 0), true));
}

} // namespace
} // namespace commtap
