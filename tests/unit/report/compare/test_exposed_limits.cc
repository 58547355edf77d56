// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/exposed_limits.h"

#include <doctest/doctest.h>

#include "report/compare/budget_file.h"
#include "report/compare/job_check.h"

namespace commtap {
namespace {

constexpr uint64_t kMs = 1'000'000;

/// Returns a job of one rank and 10 steps of 100 ms in which each module's all_reduces are exposed for this time in a
/// step.
JobReport exposedJob(const std::map<std::string, uint64_t>& exposed_ms) {
  JobReport job;
  job.ranks = {{0, 0}};
  job.rank_sets = {job.ranks};
  job.processes.emplace_back().rank = 0;
  job.groups = {{.name = "dp", .desc = "dp", .backend = "gloo", .size = 2}};
  JobStep& steps = job.steps.emplace_back();
  steps.steps = 10;
  steps.ranks = steps.timed_ranks = 1;
  steps.duration_ns.sum = 1000 * kMs;
  for (const auto& [module, ms] : exposed_ms) {
    JobCollective& row = job.collectives.emplace_back();
    row.module = module;
    row.phase = Phase::kBackward;
    row.kind = Kind::kAllReduce;
    row.amount.ranks = 1;
    row.amount.count.sum = 10;
    row.time = {10, 20 * ms * kMs, 10 * ms * kMs};
    job.modules.emplace_back().name = module;
  }
  return job;
}

TEST_CASE("the exposed time of two timed runs is noted, with the kinds that differ by a tenth") {
  const JobReport before = exposedJob({{"Net.a", 10}, {"Net.b", 2}});
  const JobReport after = exposedJob({{"Net.a", 15}, {"Net.b", 3}});
  CHECK(
      exposedNotes(before, after) == std::vector<std::string>{
                                         "exposed for all collectives: 12.0 ms (12.0 % of a step) per rank and step "
                                         "before, 18.0 ms (18.0 % of a step) after",
                                         "exposed for all_reduce on dp: 12.0 ms (12.0 % of a step) per rank and step "
                                         "before, 18.0 ms (18.0 % of a step) "
                                         "after"});
  CHECK(exposedNotes(before, before).size() == 1);
}

TEST_CASE("exposed times that cannot be compared are noted, unless no call is timed") {
  const JobReport timed = exposedJob({{"Net.a", 10}, {"Net.b", 2}});
  JobReport untimed = timed;
  for (JobCollective& row : untimed.collectives) {
    row.time = {};
  }
  CHECK(exposedNotes(untimed, untimed).empty());
  JobReport sampled = timed;
  sampled.collectives[1].time.count = 1;
  JobReport stepless = timed;
  stepless.steps.clear();
  const auto note = [](const std::string& reason) {
    return std::vector<std::string>{"exposed times are not compared: " + reason};
  };
  CHECK(exposedNotes(timed, untimed) == note("not every call of the run after is timed"));
  CHECK(exposedNotes(sampled, timed) == note("not every call of the run before is timed"));
  CHECK(exposedNotes(sampled, untimed) == note("not every call of both runs is timed"));
  CHECK(exposedNotes(timed, stepless) == note("no training steps are known of the run after"));
}

TEST_CASE("set-up is not in the exposed time of steps") {
  JobReport job = exposedJob({{"Net.a", 10}, {"Net.b", 50}});
  job.collectives[1].setup = true;
  Budget budget;
  budget.exposed = 10;
  CHECK(exposedCells(budget, job).back().empty());
}

TEST_CASE("a budget may limit the exposed time of all collectives, and of the cells of an entry") {
  const JobReport job = exposedJob({{"Net.a", 10}, {"Net.b", 2}});
  Budget budget;
  budget.entries = {{.count = 100, .bytes = 1000}, {.pattern = {"**.a"}, .count = 100, .bytes = 1000}};
  CHECK(passed(checkBudget(budget, job)));
  budget.exposed = 12;
  budget.entries[1].exposed = 10;
  CHECK(passed(checkBudget(budget, job)));
  budget.exposed = 11;
  budget.entries[1].exposed = 9;
  CHECK(
      exposedCells(budget, job) ==
      std::vector<std::vector<std::string>>{
          {},
          {"the job stands still for all_reduce in Net.a (backward, dp) in 10.0 % of a step; the budget has 9.0 %"},
          {"the job stands still for all collectives in 12.0 % of a step; the budget has 11.0 %"}});
  const std::vector<Check> checks = checkBudget(budget, job);
  REQUIRE(checks.size() == 4);
  CHECK(checks[1].findings.at(0).what == Finding::What::kExposed);
  CHECK(checks[2].findings.at(0).what == Finding::What::kExposed);
}

TEST_CASE("exposed time that is not known is over each budget") {
  JobReport job = exposedJob({{"Net.a", 10}});
  Budget budget;
  budget.exposed = 100;
  job.collectives[0].time.count = 9;
  CHECK(exposedCells(budget, job)[0].size() == 1);
  job.collectives[0].time.count = 10;
  CHECK(exposedCells(budget, job)[0].empty());
  job.steps.clear();
  CHECK(exposedCells(budget, job)[0].size() == 1);
}

TEST_CASE("limits of exposed time are read and written") {
  Budget budget;
  budget.entries = {{.count = 1, .bytes = 2, .exposed = 2.5}};
  budget.exposed = 12;
  const Result<Budget> read = budgetFromToml(budgetToToml(budget, "out"));
  REQUIRE_MESSAGE(read, read.error());
  CHECK(read->exposed == 12);
  CHECK(read->entries == budget.entries);
  const Result<Budget> wrong = budgetFromToml("schema = \"commtap.budget/1\"\nexposed = \"12\"\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().find("exposed is ") != std::string::npos);
}

} // namespace
} // namespace commtap
