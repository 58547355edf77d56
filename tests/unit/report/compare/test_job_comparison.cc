// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_comparison.h"

#include <doctest/doctest.h>

#include "tests/unit/step_samples.h"

namespace commtap {
namespace {

JobReport jobOfEqualSteps(size_t steps, uint64_t calls) {
  return jobOfSteps(std::vector<std::map<std::string, uint64_t>>(steps, {{"Net", calls}}));
}

JobComparison compared(const JobReport& before, const JobReport& after, const std::vector<Tolerance>& rules = {}) {
  return compareJobs(before, after, rules, comparedSteps(before, after));
}

TEST_CASE("a run of more steps that has as much per step does not differ") {
  const JobComparison comparison = compared(jobOfEqualSteps(3, 7), jobOfEqualSteps(10, 7));
  CHECK(comparison.changes.empty());
  REQUIRE_FALSE(comparison.notes.empty());
  CHECK(comparison.notes.back() == "rows are compared per step, of 3 steps before and 10 after, and set-up per run");
  CHECK(compareJobs(jobOfEqualSteps(3, 7), jobOfEqualSteps(10, 7), {}, {}).changes.size() == 1);
}

TEST_CASE("a change has the numbers per step") {
  const JobComparison comparison = compared(jobOfEqualSteps(3, 7), jobOfEqualSteps(10, 8));
  REQUIRE(comparison.changes.size() == 1);
  CHECK(comparison.changes[0].change.before.count == 7);
  CHECK(comparison.changes[0].change.after.count == 8);
  CHECK(comparison.changes[0].change.after.bytes == 64);
}

TEST_CASE("runs of equally many steps have the same changes per step and per run") {
  const JobReport before = jobOfSteps({{{"Net", 1}, {"Once", 1}}, {{"Net", 1}}, {{"Net", 1}}});
  const JobReport after = jobOfSteps({{{"Net", 1}, {"Once", 2}}, {{"Net", 1}}, {{"Net", 1}}});
  CHECK(compared(before, before).changes.empty());
  CHECK(compared(before, after).changes.size() == 1);
  CHECK(compared(before, after, {*parseTolerance("count=1,bytes=8")}).changes.empty());
  CHECK(compared(before, after, {*parseTolerance("count=0.9,bytes=8")}).changes.size() == 1);
  CHECK(compared(before, after).notes.empty());
}

TEST_CASE("what an unfinished step can have of a row is no difference, and more is") {
  const JobReport whole = jobOfSteps({{{"Net", 4}, {"Other", 3}}, {{"Net", 4}, {"Other", 3}}});
  const JobReport killed = jobKilledIn({{{"Net", 4}, {"Other", 3}}, {{"Net", 4}, {"Other", 3}}, {{"Net", 4}}});
  for (const JobComparison& comparison : {compared(whole, killed), compared(killed, whole)}) {
    CHECK(comparison.changes.empty());
    CHECK(comparison.before.begin()->second.count == 4);
    CHECK(comparison.after.begin()->second.count_sum == 8);
  }
  CHECK(compared(whole, killed).notes.front().starts_with("the run after has an unfinished step"));
  const JobReport grown = jobKilledIn({{{"Net", 6}, {"Other", 3}}, {{"Net", 6}, {"Other", 3}}, {{"Net", 3}}});
  const JobComparison comparison = compared(whole, grown);
  REQUIRE(comparison.changes.size() == 1);
  CHECK(comparison.changes[0].change.after.count == 6);
}

TEST_CASE("set-up is compared per run") {
  JobReport before = jobOfEqualSteps(3, 6);
  JobReport after = jobOfEqualSteps(6, 6);
  before.collectives[0].setup = after.collectives[0].setup = true;
  const JobComparison comparison = compared(before, after);
  REQUIRE(comparison.changes.size() == 1);
  CHECK(comparison.changes[0].change.before.count == 18);
  CHECK(comparison.changes[0].change.after.count == 36);
}

TEST_CASE("a row that is alike has in both runs what each further step adds") {
  const JobReport before = jobOfSteps({{{"Net", 3}}, {{"Net", 2}}, {{"Net", 2}}});
  const JobReport after = jobOfSteps({{{"Net", 3}}, {{"Net", 2}}, {{"Net", 2}}, {{"Net", 2}}, {{"Net", 2}}});
  const JobComparison comparison = compared(before, after);
  CHECK(comparison.changes.empty());
  CHECK(comparison.before.begin()->second.count == 2);
  CHECK(comparison.after.begin()->second.count == 2);
  CHECK(comparison.notes.back().starts_with("1 row has another mean per step only because"));
}

TEST_CASE("a note names the run whose steps are not known") {
  JobReport without = jobOfEqualSteps(3, 6);
  without.steps.clear();
  const JobComparison comparison = compared(jobOfEqualSteps(3, 6), without);
  CHECK(comparison.changes.empty());
  CHECK(comparison.notes.back() == "no steps are known of the run after: numbers are per run");
}

} // namespace
} // namespace commtap
