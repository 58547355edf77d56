// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/base/glob.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/step_samples.h"

namespace commtap {
namespace {

/// Returns a job of rank 0 with one row per module.
JobReport jobWith(const std::vector<std::pair<std::string, uint64_t>>& counts) {
  Report report = sampleReport(0);
  const Collective row = rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather);
  report.collectives.clear();
  for (const auto& [module, count] : counts) {
    report.collectives.push_back(row);
    report.collectives.back().module = module;
    report.collectives.back().count = count;
    report.collectives.back().bytes = count * 100;
  }
  return jobOf({report});
}

size_t excessCount(const Budget& budget, const JobReport& job) {
  size_t count = 0;
  for (const auto& cells : excessesOf(budget, job)) {
    count += cells.size();
  }
  return count;
}

TEST_CASE("a job is within the budget made from it") {
  CHECK(excessCount(budgetOf(sampleJob()), sampleJob()) == 0);
  CHECK(budgetOf(sampleJob()).entries.size() == 3);
}

TEST_CASE("equal layers share a budget entry; other layers have entries that take precedence") {
  const JobReport job = jobWith(
      {{"Net.0.a", 5}, {"Net.1.a", 5}, {"Net.2.a", 5}, {"Net.3.a", 7}, {"Net.4.a", 7}, {"Net.5.a", 9}, {"Net#2.*", 1}});
  const Budget budget = budgetOf(job);
  CHECK(excessCount(budget, job) == 0);
  REQUIRE(budget.entries.size() == 5);
  CHECK(budget.entries[0].pattern.module == "Net.*.a");
  CHECK(budget.entries[0].count == 5);
  CHECK(budget.entries[1].pattern.module == "Net#2.\\*");
  CHECK(budget.entries[4].pattern.module == "Net.5.a");
  CHECK(excessCount(budget, jobWith({{"Net.2.a", 6}, {"Net.3.a", 7}, {"Net.5.a", 10}})) == 2);
}

TEST_CASE("a budget accepts less, and rejects more and rows without an entry") {
  const Budget budget = budgetOf(jobWith({{"Net.0.a", 5}, {"Net.1.a", 5}}));
  CHECK(excessCount(budget, jobWith({{"Net.0.a", 1}})) == 0);
  const auto excesses = excessesOf(budget, jobWith({{"Net.1.a", 6}, {"Net.1.b", 1}}));
  REQUIRE(excesses.size() == 2);
  REQUIRE(excesses[0].size() == 1);
  CHECK(excesses[0][0].change.before.count == 5);
  CHECK(excesses[0][0].change.after.count == 6);
  REQUIRE(excesses[1].size() == 1);
  CHECK(excesses[1][0].key.module == "Net.1.b");
}

TEST_CASE("a tolerance widens a budget") {
  Budget budget = budgetOf(jobWith({{"Net.0.a", 10}}));
  CHECK(excessCount(budget, jobWith({{"Net.0.a", 11}})) == 1);
  budget.tolerances = {*parseTolerance("kind=all_gather,count=1,bytes=10%")};
  CHECK(excessCount(budget, jobWith({{"Net.0.a", 11}})) == 0);
  CHECK(excessCount(budget, jobWith({{"Net.0.a", 12}})) == 1);
}

/// Returns a job of `steps` steps with 2 calls in each, `first` in the first one, and 1 in each `every`th.
JobReport jobOfUnevenSteps(size_t steps, uint64_t first, size_t every = SIZE_MAX) {
  std::vector<std::map<std::string, uint64_t>> calls(steps, {{"Net", 2}});
  calls[0]["Net"] = first;
  for (size_t i = every - 1; i < steps; i += every) {
    calls[i]["Log"] = 1;
  }
  return jobOfSteps(calls);
}

TEST_CASE("a budget of a run with steps counts per step, so that runs of other lengths are within it") {
  const Budget budget = budgetOf(jobOfUnevenSteps(10, 2));
  CHECK(budget.per_step);
  CHECK(budget.steps == 10);
  REQUIRE(budget.entries.size() == 1);
  CHECK(budget.entries[0].count == 2);
  CHECK(budget.entries[0].bytes == 16);
  for (const size_t steps : {1, 4, 10, 25}) {
    CHECK(excessCount(budget, jobOfUnevenSteps(steps, 2)) == 0);
  }
  CHECK(excessCount(budget, jobOfUnevenSteps(10, 3)) == 1);
  CHECK(excessesOf(budget, jobOfUnevenSteps(4, 4))[0][0].change.after.count == 2.5);
}

TEST_CASE("a part that is not in every step is within the budget of a run of another length") {
  for (const uint64_t first : {1, 3}) {
    const Budget budget = budgetOf(jobOfUnevenSteps(10, first));
    for (const size_t steps : {3, 10, 25}) {
      CHECK(excessCount(budget, jobOfUnevenSteps(steps, first)) == 0);
    }
    CHECK(excessCount(budget, jobOfUnevenSteps(25, 25)) == 1);
  }
  const Budget with_log = budgetOf(jobOfUnevenSteps(10, 2, 5));
  CHECK(excessCount(with_log, jobOfUnevenSteps(25, 2, 5)) == 0);
  CHECK(excessCount(with_log, jobOfUnevenSteps(25, 2, 2)) == 1);
}

TEST_CASE("what an unfinished step can have is no excess of a budget") {
  const Budget budget = budgetOf(jobOfUnevenSteps(10, 2));
  std::vector<std::map<std::string, uint64_t>> steps(5, {{"Net", 2}});
  CHECK(excessCount(budget, jobKilledIn(steps)) == 0);
  steps[0] = {{"Net", 4}};
  CHECK(excessCount(budget, jobKilledIn(steps)) == 1);
}

TEST_CASE("set-up has entries of its own in a budget per step, and counts per run") {
  JobReport job = jobOfUnevenSteps(10, 2, 5);
  const auto mark = [](JobReport& each) {
    for (JobCollective& row : each.collectives) {
      row.setup = row.module == "Log";
    }
  };
  mark(job);
  const Budget budget = budgetOf(job);
  REQUIRE(budget.entries.size() == 2);
  const auto entry =
      std::find_if(budget.entries.begin(), budget.entries.end(), [](const auto& each) { return each.setup; });
  REQUIRE(entry != budget.entries.end());
  CHECK(entry->count == 2);
  JobReport longer = jobOfUnevenSteps(20, 2, 5);
  mark(longer);
  CHECK(excessCount(budget, longer) == 1); // 4 in set-up
}

TEST_CASE("each Allowed value has a name") {
  for (int i = 0; i < kAllowedCount; ++i) {
    CHECK(allowedFromName(allowedName(static_cast<Allowed>(i))) == static_cast<Allowed>(i));
  }
  CHECK_FALSE(allowedFromName("everything"));
}

} // namespace
} // namespace commtap
