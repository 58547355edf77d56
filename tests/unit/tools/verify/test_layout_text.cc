// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/layout_text.h"

#include <doctest/doctest.h>

#include "report/json/row_write.h"
#include "report/layouts/layout_columns.h"

namespace commtap {
namespace {

LayoutComparison comparison(LayoutStatus status) {
  LayoutComparison result{.status = status, .run_id = "two", .like_run_id = "one", .ranks = 2, .like_ranks = 1};
  result.steps = {1, 2};
  result.parameters = 17;
  result.data = SameData::kSame;
  result.largest_distance = 3e-7;
  return result;
}

std::string textOf(LayoutComparison result, bool has_equal_bits = false) {
  addWords(result, "\"one\"", has_equal_bits);
  return layoutText(result, Color::none());
}

LayoutComparison wrong(LayoutClass what, std::optional<double> ratio) {
  LayoutComparison result = comparison(LayoutStatus::kWrong);
  result.steps = {1};
  result.findings = {
      {.severity = what == LayoutClass::kRatio || what == LayoutClass::kScale ? VerifySeverity::kError
                                                                              : VerifySeverity::kWarning,
       .what = what,
       .step = 1,
       .parameters = {"Net.norm.bias", "Net.norm.weight"},
       .ratio = ratio,
       .distance = 0.5}};
  return result;
}

TEST_CASE("two runs that are alike are said to be so, with the largest difference") {
  CHECK(
      textOf(comparison(LayoutStatus::kOk)) ==
      "OK: 17 parameters and their gradients are those of \"one\" in 2 steps (largest difference of gradients 3e-07 of "
      "the size)\n");
  CHECK(textOf(comparison(LayoutStatus::kOk), true).ends_with("(bitwise equal on each rank)\n"));
}

TEST_CASE("a ratio is named with what else has it") {
  LayoutComparison result = wrong(LayoutClass::kRatio, 2.0);
  result.findings.front().reasons = {"the ranks of tp"};
  const std::string text = textOf(result);
  CHECK(text.starts_with(
      "WRONG: the gradients of 2 parameters are 2.00 times those of \"one\": Net.norm.bias and 1 more at step 1\n"
      "  The ratio is that of the ranks of tp. Their direction is the same"));
  CHECK(text.ends_with("17 parameters were compared in 1 step, on 2 ranks and 1 rank.\n"));
  CHECK(textOf(wrong(LayoutClass::kScale, 0.03125)).find("are 0.0312 times those of") != std::string::npos);
  CHECK(textOf(wrong(LayoutClass::kRatio, -1.0)).find("are -1.00 times those of") != std::string::npos);
}

TEST_CASE("a warning says by how much") {
  CHECK(textOf(wrong(LayoutClass::kDirection, std::nullopt))
            .starts_with(
                "WARNING: the gradients of 2 parameters differ from those of \"one\": Net.norm.bias and 1 more at "
                "step 1, by up to about 0.5 of their size\n"));
  CHECK(textOf(wrong(LayoutClass::kOptimizer, std::nullopt))
            .starts_with("WARNING: the values of 2 parameters go apart, although their sampled gradients are alike"));
  CHECK(textOf(wrong(LayoutClass::kOptimizer, 1.1))
            .starts_with("WARNING: the updates of 2 parameters are 1.10 times those of \"one\", although their sampled "
                         "gradients are alike: Net.norm.bias and 1 more at step 1\n"));
}

TEST_CASE("what was not compared is said, with what to do") {
  LayoutComparison result = comparison(LayoutStatus::kNothingToCompare);
  result.apart = {"Net.head.weight"};
  result.start_distance = 0.9;
  result.not_compared = {"Net.a: a reason"};
  CHECK(
      textOf(result) ==
      "NOTHING TO COMPARE: the runs start from other parameters (Net.head.weight, by about 0.9 of its size): give both "
      "one seed, or let both load one checkpoint\nNOT COMPARED: Net.a: a reason\n");
  result.apart.clear();
  CHECK(textOf(result).starts_with("NOTHING TO COMPARE: no gradient of \"one\" can be compared\n"));
  result = comparison(LayoutStatus::kStartOnly);
  CHECK(textOf(result).find("the runs read other samples") != std::string::npos);
  result.has_draws = true;
  CHECK(textOf(result).find("a forward draws random numbers") != std::string::npos);
}

TEST_CASE("JUnit has a case for the start and one per class; warnings fail only if strict") {
  LayoutComparison result = wrong(LayoutClass::kDirection, std::nullopt);
  addWords(result, "\"one\"", false);
  CHECK(layoutJunit(result, false).find("tests=\"5\" failures=\"0\"") != std::string::npos);
  CHECK(layoutJunit(result, true).find("tests=\"5\" failures=\"1\"") != std::string::npos);
  LayoutComparison start = comparison(LayoutStatus::kStartOnly);
  addWords(start, "\"one\"", false);
  CHECK(layoutJunit(start, true).find("name=\"start\">") != std::string::npos);
  CHECK(jsonDocument(start).starts_with("{\"schema\":\"commtap.verify-like/1\",\"status\":\"start_only\""));
}

} // namespace
} // namespace commtap
