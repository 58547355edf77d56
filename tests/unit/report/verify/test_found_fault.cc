// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

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

FoundFault fault(VerifySeverity severity, VerifyClass what, const std::string& parameter, RankParts parts) {
  FoundFault made;
  made.finding.severity = severity;
  made.finding.what = what;
  made.finding.before = 1;
  made.finding.step = 2;
  made.parameter = parameter;
  made.parts = std::move(parts);
  return made;
}

FoundFault declared(const std::string& parameter, RankParts parts) {
  return fault(VerifySeverity::kError, VerifyClass::kDeclared, parameter, std::move(parts));
}

TEST_CASE("faults that are alike are one finding, with the parameter first that is most apart") {
  std::vector<FoundFault> faults = {declared("a", {{0}, {1}}), declared("b", {{0}, {1}})};
  faults[0].finding.value_distance = 0.1;
  faults[1].finding.value_distance = 0.2;
  faults[0].finding.gradient_distance = 0.05;
  const std::vector<VerifyFinding> findings = groupedFaults(faults);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].parameters == std::vector<std::string>{"b", "a"});
  CHECK(findings[0].value_distance == 0.2);
  CHECK(findings[0].gradient_distance == 0.05);
  REQUIRE(findings[0].sets.size() == 1);
  CHECK(findings[0].sets[0].ranks == RankRanges{{0, 1}});
  CHECK(findings[0].sets[0].parts == std::vector<RankRanges>{{{0, 0}}, {{1, 1}}});
}

TEST_CASE("groups of ranks with the same parameters are one finding, with other ones another") {
  const std::vector<VerifyFinding> findings = groupedFaults({
      declared("a", {{0}, {1}}),
      declared("a", {{2}, {3}}),
      declared("b", {{4}, {5}}),
  });
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].sets.size() == 2);
  CHECK(findings[1].sets.size() == 1);
}

TEST_CASE("findings of other steps are others, but rounding is one with the first of its steps") {
  std::vector<FoundFault> faults = {declared("a", {{0}, {1}}), declared("b", {{0}, {1}})};
  faults[0].finding.step = 4;
  faults[0].finding.cause = faults[1].finding.cause = DifferenceCause::kUpdate;
  CHECK(groupedFaults(faults).size() == 2);
  for (FoundFault& each : faults) {
    each.finding.severity = VerifySeverity::kNote;
    each.finding.what = VerifyClass::kRounding;
  }
  const std::vector<VerifyFinding> findings = groupedFaults(faults);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].step == 2U);
}

TEST_CASE("errors come first, then warnings, then notes, those with most parameters first") {
  const std::vector<VerifyFinding> findings = groupedFaults({
      fault(VerifySeverity::kNote, VerifyClass::kRounding, "n", {{8}, {9}}),
      fault(VerifySeverity::kNote, VerifyClass::kRounding, "m", {{0}, {1}}),    // next to an error of these ranks
      fault(VerifySeverity::kWarning, VerifyClass::kUnproven, "w", {{4}, {5}}), // of ranks that no error explains
      declared("a", {{0}, {1}}),
      declared("b", {{2}, {3}}),
      declared("c", {{2}, {3}}),
      fault(VerifySeverity::kError, VerifyClass::kDrift, "d", {{6}, {7}}), // of ranks that "a" is not about
  });
  REQUIRE(findings.size() == 5);
  CHECK(findings[0].what == VerifyClass::kDrift);
  CHECK(findings[1].parameters.size() == 2);
  CHECK(findings[2].parameters.size() == 1);
  CHECK(findings[3].what == VerifyClass::kUnproven);
  CHECK(findings[2].later_parameters == std::vector<std::string>{"m"});
  CHECK(findings[4].what == VerifyClass::kRounding);
  CHECK(findings[4].parameters == std::vector<std::string>{"n"});
}

TEST_CASE("errors of an earlier step come first, and have what follows from them") {
  std::vector<FoundFault> faults = {
      fault(VerifySeverity::kError, VerifyClass::kDrift, "head", {{0}, {1}}), declared("norm", {{0}, {1}})};
  faults[0].finding.before = 2;
  faults[0].finding.step = 3;
  faults[0].finding.cause = DifferenceCause::kUpdate;
  std::vector<VerifyFinding> findings = groupedFaults(faults);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].what == VerifyClass::kDeclared);
  faults[0].finding.cause = DifferenceCause::kGradients;
  findings = groupedFaults(faults);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].later_parameters == std::vector<std::string>{"head"});
}

TEST_CASE("ranks that are not compared have no parts") {
  const VerifyRanks ranks = verifyRanksOf({{0, 1, 3}});
  CHECK(ranks.ranks == RankRanges{{0, 1}, {3, 3}});
  CHECK(ranks.parts.empty());
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
