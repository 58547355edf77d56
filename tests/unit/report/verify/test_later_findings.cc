// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/later_findings.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

VerifyFinding finding(VerifySeverity severity, VerifyClass what, uint64_t step, const std::string& parameter) {
  VerifyFinding made;
  made.severity = severity;
  made.what = what;
  made.step = step;
  made.cause = DifferenceCause::kGradients;
  made.parameters = {parameter};
  made.sets = {{{{0, 1}}, {{{0, 0}}, {{1, 1}}}}};
  return made;
}
VerifyFinding drift(uint64_t step, const std::string& parameter) {
  return finding(VerifySeverity::kError, VerifyClass::kDrift, step, parameter);
}

TEST_CASE("what goes apart later between the same ranks joins what went apart first") {
  std::vector<VerifyFinding> findings = {
      drift(2, "a"), drift(4, "c"), drift(3, "b"), finding(VerifySeverity::kWarning, VerifyClass::kUnproven, 3, "d")};
  foldLater(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].parameters == std::vector<std::string>{"a"});
  CHECK(findings[0].later_parameters == std::vector<std::string>{"b", "c", "d"});
  CHECK(findings[0].later_step == 3U);
}

TEST_CASE("a warning of the same step joins the error") {
  std::vector<VerifyFinding> findings = {
      drift(2, "a"), finding(VerifySeverity::kWarning, VerifyClass::kUnproven, 2, "b")};
  foldLater(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].later_step == 2U);
}

TEST_CASE("what is declared joins what is proven to have gone apart at the same step") {
  std::vector<VerifyFinding> findings = {
      drift(2, "weight"), finding(VerifySeverity::kError, VerifyClass::kDeclared, 2, "bias")};
  foldLater(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].later_parameters == std::vector<std::string>{"bias"});
}

TEST_CASE("equal gradients for other values explain what else differs between the ranks") {
  VerifyFinding bias = finding(VerifySeverity::kError, VerifyClass::kDeclared, 2, "bias");
  bias.cause = DifferenceCause::kUpdate;
  std::vector<VerifyFinding> findings = {
      finding(VerifySeverity::kError, VerifyClass::kSameGradient, 2, "a"),
      bias,
      finding(VerifySeverity::kError, VerifyClass::kSameGradient, 3, "b")};
  foldLater(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].later_parameters == std::vector<std::string>{"b", "bias"});
  std::vector<VerifyFinding> never = {
      finding(VerifySeverity::kError, VerifyClass::kNeverEqual, 1, "a"),
      finding(VerifySeverity::kError, VerifyClass::kNeverEqual, 1, "b")};
  never[1].evidence = ReplicaEvidence::kDdp;
  foldLater(never);
  CHECK(never.size() == 1);
}

TEST_CASE("a fault that has a cause of its own stays") {
  VerifyFinding frozen = drift(3, "b");
  frozen.cause = DifferenceCause::kFrozen;
  VerifyFinding same = finding(VerifySeverity::kError, VerifyClass::kSameGradient, 4, "c");
  VerifyFinding of_others = drift(5, "d");
  of_others.sets = {{{{2, 3}}, {{{2, 2}}, {{3, 3}}}}};
  VerifyFinding of_another_optimizer = drift(6, "e");
  of_another_optimizer.optimizer = 1;
  std::vector<VerifyFinding> findings = {drift(2, "a"), frozen, same, of_others, of_another_optimizer};
  foldLater(findings);
  CHECK(findings.size() == 5);
}

TEST_CASE("an error does not join a warning") {
  std::vector<VerifyFinding> findings = {
      finding(VerifySeverity::kWarning, VerifyClass::kUnproven, 2, "a"), drift(3, "b")};
  foldLater(findings);
  CHECK(findings.size() == 2);
}

TEST_CASE("what proves nothing joins what went apart between the same ranks, and is dropped without it") {
  const VerifyFinding ones = finding(VerifySeverity::kNote, VerifyClass::kSeparate, 2, "ones");
  std::vector<VerifyFinding> findings = {finding(VerifySeverity::kWarning, VerifyClass::kSeparate, 2, "a"), ones};
  foldLater(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].later_parameters == std::vector<std::string>{"ones"});
  findings = {ones};
  foldLater(findings);
  CHECK(findings.empty());
}

TEST_CASE("what is small before a fault between the same ranks is no rounding") {
  std::vector<VerifyFinding> findings = {drift(4, "a"), finding(VerifySeverity::kNote, VerifyClass::kRounding, 2, "b")};
  foldLater(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].later_step == 2U);
}

} // namespace
} // namespace commtap
