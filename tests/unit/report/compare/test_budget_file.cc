// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget_file.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tests/unit/step_samples.h"

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

TEST_CASE("a budget per step survives a round trip, with its exact means and its entries of set-up") {
  JobReport job = jobOfSteps({{{"Net", 3}, {"Once", 1}}, {{"Net", 2}}, {{"Net", 2}}});
  for (JobCollective& row : job.collectives) {
    row.setup = row.module == "Once";
  }
  const Budget budget = budgetOf(job);
  const std::string text = budgetToToml(budget, "out");
  CHECK(text.find("\nper = \"step\"\nsteps = 3\n") != std::string::npos);
  CHECK(text.find(", setup = true, count = 1, bytes = 8 }") != std::string::npos);
  const auto back = budgetFromToml(text);
  REQUIRE(back);
  CHECK(back->per_step);
  CHECK(back->steps == 3);
  CHECK(back->entries.size() == 2);
  for (const auto& cells : excessesOf(*back, job)) {
    CHECK(cells.empty());
  }
}

TEST_CASE("a budget without a unit counts per run, with set-up") {
  const auto budget = budgetFromToml("schema = \"commtap.budget/1\"\nbudget = [ { count = 1, bytes = 2.5 } ]");
  REQUIRE(budget);
  CHECK_FALSE(budget->per_step);
  CHECK(errorOf("budget = [ { setup = true, count = 1, bytes = 1 } ]") == "line 2: budget[0].setup is unknown");
  CHECK(errorOf("per = \"day\"") == "line 2: per is 'day', not \"run\" or \"step\"");
  CHECK(errorOf("per = \"step\"\nsteps = 2.5") == "line 3: steps is 2.5, not a whole number");
  CHECK(
      errorOf("per = \"step\"\nbudget = [ { setup = 1, count = 1, bytes = 1 } ]") ==
      "line 3: budget[0].setup is 1, not true or false");
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
