// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget_file.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

std::string errorOf(const std::string& text) {
  return budgetFromToml("schema = \"commtap.budget/1\"\n" + text).error();
}

TEST_CASE("a budget survives a round trip through TOML") {
  Budget budget = budgetOf(sampleJob());
  budget.entries[0].pattern.module = "a \"quoted\" \\* \n name";
  budget.entries[1].bytes = 123456789012345.0;
  budget.allowed = {Allowed::kMissingRanks, Allowed::kNotSeen};
  budget.tolerances = {*parseTolerance("module=**.x,phase=forward,kind=send,group=pp,bytes=2.5%,count=3")};
  const std::string text = budgetToToml(budget, "out \"x\"");
  const auto back = budgetFromToml(text);
  REQUIRE(back);
  CHECK(back->entries == budget.entries);
  CHECK(back->allowed == budget.allowed);
  REQUIRE(back->tolerances.size() == 1);
  CHECK(back->tolerances[0].pattern == budget.tolerances[0].pattern);
  CHECK(back->tolerances[0].bytes == Allowance{2.5, true});
  CHECK(back->tolerances[0].count == Allowance{3, false});
  CHECK(budgetToToml(*back, "out \"x\"") == text);
}

TEST_CASE("a budget file has comments and one line per entry") {
  const std::string text = budgetToToml(budgetOf(sampleJob()), "out");
  CHECK(text.starts_with("schema = \"commtap.budget/1\"\n# Of"));
  CHECK(text.find("# Findings that do not fail the check") != std::string::npos);
  CHECK(text.find("\n  { module = ") != std::string::npos);
}

TEST_CASE("a budget entry needs its numbers but not its other fields") {
  const auto budget = budgetFromToml("schema = \"commtap.budget/1\"\nbudget = [ { count = 1, bytes = 2.5 } ]");
  REQUIRE(budget);
  CHECK(budget->entries[0].pattern == CellPattern{});
  CHECK(errorOf("budget = [ { count = 1 } ]") == "budget[0].bytes is missing");
}

TEST_CASE("a budget file's error names the line or the field") {
  CHECK(errorOf("budget = [").find("line 2: ") == 0);
  CHECK(errorOf("limits = 3") == "line 2: limits is unknown");
  CHECK(errorOf("budget = [\n { modul = \"x\" } ]") == "line 3: budget[0].modul is unknown");
  CHECK(errorOf("budget = [ { kind = \"all_gathr\", count = 1, bytes = 1 } ]").find("line 2: budget[0].kind is ") == 0);
  CHECK(errorOf("budget = [ { module = 3, count = 1, bytes = 1 } ]") == "line 2: budget[0].module is 3, not a string");
  CHECK(errorOf("budget = [ { count = -1, bytes = 1 } ]") == "line 2: budget[0].count is -1, not a number");
  CHECK(errorOf("budget = 3") == "line 2: budget is 3, not a list");
  CHECK(errorOf("budget = [3]") == "line 2: budget[0] is 3, not a table");
  CHECK(errorOf("allow = [\"less\"]").find("line 2: allow is") == 0);
  CHECK(errorOf("[[tolerance]]\nbytes = \"many\"").find("line 3: tolerance[0].bytes is") == 0);
  CHECK(budgetFromToml("budget = []").error().find("not a budget") == 0);
}

} // namespace
} // namespace commtap
