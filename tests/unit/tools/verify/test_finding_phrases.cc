// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

VerifyFinding finding() {
  VerifyFinding made;
  made.before = 1;
  made.step = 2;
  made.parameters = {"Net.a.w", "Net.b.w"};
  made.sets = {{{{0, 1}}, {{{0, 0}}, {{1, 1}}}}};
  made.value_distance = 1.83;
  made.gradient_distance = 0.7;
  made.gradient_step = 1;
  made.cause = DifferenceCause::kGradients;
  made.cause_ranks = {{1, 1}};
  return made;
}

TEST_CASE("distances have two digits and are no more than about right") {
  CHECK(distanceText(1.8312) == "about 1.8");
  CHECK(distanceText(0.00812) == "about 0.0081");
  CHECK(distanceText(4e-7) == "about 4e-7");
}

TEST_CASE("steps name the first parameter, the samples and what went apart later") {
  VerifyFinding two = finding();
  CHECK(stepsText(two) == "Net.a.w and 1 more: equal at step 1, different at step 2, by up to about 1.8 of their size");
  two.later_parameters = {"Net.c", "Net.d"};
  two.later_step = 3;
  CHECK(stepsText(two).ends_with("; 2 more from step 3 on"));
  VerifyFinding one = finding();
  one.parameters.pop_back();
  one.before.reset();
  one.value_distance.reset();
  CHECK(stepsText(one) == "Net.a.w: different in the first common sample, at step 2");
}

TEST_CASE("a pair of ranks is named by its numbers, parts of many by their ranges") {
  VerifyFinding many = finding();
  CHECK(partsText(many) == "ranks 0 and 1");
  many.sets = {{{{0, 7}}, {{{0, 6}}, {{7, 7}}}}, {{{8, 15}}, {{{8, 14}}, {{15, 15}}}}};
  CHECK(partsText(many) == "ranks 0-6 and rank 7 (and so in 1 more group of ranks)");
  CHECK(allRanksText(many) == "ranks 0-7 (and so in 1 more group of ranks)");
  many.sets = {{{{0, 3}}, {{{0, 1}}, {{2, 2}}, {{3, 3}}}}};
  CHECK(partsText(many) == "ranks 0-3 (3 different values)");
}

TEST_CASE("a cause names the step that shows it") {
  VerifyFinding each = finding();
  CHECK(
      causeText(each) ==
      "Their gradients differ by up to about 0.7 at step 1: are they reduced over ranks 0-1, "
      "and unchanged since?");
  CHECK(gradientsApartText(each) == " (they differ by up to about 0.7 at step 1)");
  each.cause = DifferenceCause::kUpdate;
  CHECK(causeText(each) == "Their gradients are equal at step 1: the update differs, or what follows it.");
  each.cause = DifferenceCause::kFrozen;
  CHECK(causeText(each) == "Frozen on rank 1 (requires_grad is False).");
  each.cause = DifferenceCause::kNoGradient;
  CHECK(causeText(each) == "No gradient on rank 1 at step 2.");
  each.cause = DifferenceCause::kUnknown;
  CHECK(causeText(each).empty());
}

TEST_CASE("two sentences are joined, one alone stays") {
  CHECK(sentences("A.", "B.") == "A. B.");
  CHECK(sentences("", "B.") == "B.");
  CHECK(sentences("A.", "") == "A.");
}

} // namespace
} // namespace commtap
