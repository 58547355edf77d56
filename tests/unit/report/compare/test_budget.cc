// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget.h"

#include <doctest/doctest.h>

#include "report/base/glob.h"
#include "tests/unit/job_samples.h"

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
  for (const auto& cells : excessesOf(budget, cellsOf(job))) {
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
  const auto excesses = excessesOf(budget, cellsOf(jobWith({{"Net.1.a", 6}, {"Net.1.b", 1}})));
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

TEST_CASE("each Allowed value has a name") {
  for (int i = 0; i < kAllowedCount; ++i) {
    CHECK(allowedFromName(allowedName(static_cast<Allowed>(i))) == static_cast<Allowed>(i));
  }
  CHECK_FALSE(allowedFromName("everything"));
}

} // namespace
} // namespace commtap
