// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/split_limits.h"

#include <doctest/doctest.h>

#include "report/compare/job_check.h"

namespace commtap {
namespace {

/// Returns a job in which each module dispatches 10 calls with this mean imbalance.
JobReport dispatching(const std::map<std::string, double>& imbalances) {
  JobReport job;
  job.ranks = {{0, 3}};
  job.rank_sets = {job.ranks};
  job.groups = {{.name = "ep", .desc = "ep", .backend = "nccl", .size = 4}};
  for (const auto& [module, imbalance] : imbalances) {
    JobCollective row;
    row.module = module;
    row.phase = Phase::kForward;
    row.kind = Kind::kAllToAll;
    row.amount.ranks = 4;
    row.splits.calls = 10;
    row.splits.imbalance = {imbalance, imbalance};
    job.collectives.push_back(row);
    job.modules.emplace_back().name = module;
  }
  return job;
}

TEST_CASE("rows of one cell are one mean, weighed by their calls") {
  JobReport job = dispatching({{"Net.moe", 2}});
  job.collectives.push_back(job.collectives[0]);
  job.collectives[1].splits.calls = 30;
  job.collectives[1].splits.imbalance = {1, 1};
  job.collectives.emplace_back().module = "Net.head"; // has no split sizes
  const std::map<CellKey, Splits> cells = splitsByCell(job, false);
  REQUIRE(cells.size() == 1);
  CHECK(cells.begin()->second.imbalance.mean == 1.25);
  job.collectives[1].setup = true;
  CHECK(splitsByCell(job, true).size() == 2);
}

TEST_CASE("another imbalance is noted from a tenth on, the largest change first") {
  const JobReport before = dispatching({{"Net.a", 1.5}, {"Net.b", 2}, {"Net.c", 2}, {"Net.old", 1}});
  const JobReport after = dispatching({{"Net.a", 1.25}, {"Net.b", 3.5}, {"Net.c", 2.1}, {"Net.new", 4}});
  CHECK(
      splitNotes(before, after) ==
      std::vector<std::string>{
          "the largest part of all_to_all in Net.b (forward, ep) is 3.5 times the mean part, 2 times before",
          "the largest part of all_to_all in Net.a (forward, ep) is 1.25 times the mean part, 1.5 times before"});
  CHECK(splitNotes(before, before).empty());
}

TEST_CASE("at most five notes") {
  std::map<std::string, double> before;
  std::map<std::string, double> after;
  for (const char* const module : {"a", "b", "c", "d", "e", "f"}) {
    before[module] = 1;
    after[module] = 2;
  }
  CHECK(splitNotes(dispatching(before), dispatching(after)).size() == 5);
}

TEST_CASE("a budget may limit the imbalance of the cells that its entry matches") {
  Budget budget;
  budget.entries = {{.count = 100, .bytes = 1000}, {.pattern = {"**.moe*"}, .count = 100, .bytes = 1000}};
  const JobReport job = dispatching({{"Net.moe1", 2.5}, {"Net.moe2", 1.5}, {"Net.other", 9}});
  CHECK(passed(checkBudget(budget, job)));
  budget.entries[1].imbalance = 2;
  CHECK(
      unevenCells(budget, job) ==
      std::vector<std::vector<std::string>>{
          {},
          {"the largest part of all_to_all in Net.moe1 (forward, ep) is 2.5 times the mean part; the budget has 2"}});
  const std::vector<Check> checks = checkBudget(budget, job);
  CHECK_FALSE(passed(checks));
  REQUIRE(checks[1].findings.size() == 1);
  CHECK(checks[1].findings[0].what == Finding::What::kUneven);
}

} // namespace
} // namespace commtap
