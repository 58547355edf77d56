// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/found_fault.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

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

} // namespace
} // namespace commtap
