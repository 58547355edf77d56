// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/change_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

ChangeBundle changeOf(PerRank before, PerRank after) {
  return {
      "Net.*.a",
      {"Net.0.a", "Net.1.a"},
      {"Net.0.a", Phase::kForward, Kind::kAllGather, "tp"},
      {std::move(before), std::move(after)},
      1,
      "Net.*.a"};
}

TEST_CASE("a change is one line: more calls, other bytes, new, gone") {
  CHECK(
      changeText(changeOf({4, 12, 1200}, {4, 13, 1300})) ==
      "+1 all_gather per run in Net.*.a (2 modules; forward, tp): 12 to 13 calls, 1.17 KiB to 1.27 KiB (+8.3 %)");
  CHECK(
      changeText(changeOf({4, 12, 1000}, {4, 12, 950})) ==
      "-5.0 % bytes of all_gather in Net.*.a (2 modules; forward, tp): 12 calls, 1000 B to 950 B");
  CHECK(
      changeText(changeOf({}, {4, 1.5, 96})) ==
      "new: 1.5 all_gather per run in Net.*.a (2 modules; forward, tp): 1.5 calls, 96 B");
  CHECK(
      changeText(changeOf({4, 2, 96}, {})) ==
      "gone: 2 all_gather per run in Net.*.a (2 modules; forward, tp): 2 calls, 96 B");
  ChangeBundle one = changeOf({4, 0, 0}, {4, 1, 0});
  one.modules = {"Net.0.a"};
  one.name = "Net\n";
  CHECK(changeText(one) == "+1 all_gather per run in Net\\x0a (forward, tp): 0 to 1 calls, 0 B");
}

TEST_CASE("a change of the ranks that have a row names them, before and after") {
  ChangeBundle change = changeOf({4, 3, 48, {{0, 3}}}, {2, 3, 48, {{0, 1}}});
  change.change.lost = {{2, 3}};
  CHECK(
      changeText(change) ==
      "on fewer ranks: all_gather in Net.*.a (2 modules; forward, tp): ranks 0-3 to ranks 0-1, 3 calls, 48 B");
  change.change.after.on = {{1, 1}, {3, 4}};
  change.change.gained = {{4, 4}};
  CHECK(changeText(change).starts_with("on other ranks: all_gather in"));
  change.change.lost.clear();
  CHECK(changeText(change).starts_with("on more ranks: all_gather in"));
  change.change.after.count = 6;
  CHECK(changeText(change).ends_with(": 3 to 6 calls, 48 B; ranks 0-3 to ranks 1, 3-4"));
  change.change.after.count = 3;
  change.change.after.bytes = 96;
  CHECK(changeText(change).ends_with(": 3 calls, 48 B to 96 B; ranks 0-3 to ranks 1, 3-4"));
}

TEST_CASE("a mean says of how many ranks it is, unless all have as much") {
  ChangeBundle change = changeOf({}, {.ranks = 1, .count = 1, .bytes = 96, .of = 4});
  CHECK(changeText(change).ends_with(": 1 call, 96 B; on 1 of 4 ranks"));
  std::swap(change.change.before, change.change.after);
  CHECK(changeText(change).ends_with(": 1 call, 96 B; on 1 of 4 ranks"));
  change.change.after = {.ranks = 3, .count = 2, .bytes = 96, .of = 4, .is_uneven = true};
  CHECK(changeText(change).ends_with(": 1 to 2 calls, 96 B; the mean of 3 ranks that differ"));
  change.change.after = {.ranks = 4, .count = 2, .bytes = 96, .of = 4};
  CHECK(changeText(change).ends_with(": 1 to 2 calls, 96 B"));
}

TEST_CASE("a change at Global names what the job does there") {
  ChangeBundle change = changeOf({4, 1, 4}, {4, 2, 8});
  change.name = "Global";
  change.modules = {"Global"};
  change.first.label = "val\n";
  CHECK(changeText(change).starts_with("+1 all_gather per run in Global [val\\x0a] (forward, tp): 1 to 2 calls"));
}

TEST_CASE("a change is per step if the steps divide the calls evenly") {
  ChangeBundle change = changeOf({4, 120, 1200}, {4, 130, 1300});
  change.steps = 10;
  CHECK(changeText(change).starts_with("+1 all_gather per step in Net.*.a (2 modules; forward, tp): 120 to 130 calls"));
  change.change.after.count = 100;
  CHECK(changeText(change).starts_with("-2 all_gather per step"));
  change.change.after.count = 125;
  CHECK(changeText(change).starts_with("+5 all_gather per run"));
  change.change.before = {};
  change.change.after.count = 30;
  CHECK(changeText(change).starts_with("new: 3 all_gather per step"));
  change.first.setup = true; // which no step repeats
  CHECK(changeText(change).starts_with("new: 30 all_gather per run"));
}

TEST_CASE("a change per step has that unit in every line") {
  ChangeBundle change = changeOf({4, 12, 1200}, {4, 13, 1300});
  change.per_step = true;
  CHECK(changeText(change).starts_with("+1 all_gather per step in Net.*.a (2 modules; forward, tp): 12 to 13 calls"));
  change.change.after = {4, 12, 1000};
  CHECK(changeText(change).ends_with(": 12 calls, 1.17 KiB to 1000 B per step"));
  change.change.after = {2, 12, 1200, {{0, 1}}};
  change.change.lost = {{2, 3}};
  CHECK(changeText(change).ends_with(", 12 calls, 1.17 KiB per step"));
}

TEST_CASE("a new row that is not in every step also has its calls in the run") {
  ChangeBundle change = changeOf({}, {4, 0.05, 8, {}, 4, 640});
  change.per_step = true;
  CHECK(changeText(change).starts_with("new: 0.05 all_gather per step (1 per run) in Net.*.a"));
}

TEST_CASE("every finding and every check has a text") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1)};
  reports[0].not_seen = {{"unknown_op", 3, "d", "what it means"}};
  rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce).count = 5;
  reports[0].job.exit_status = 1;
  reports[1].job.exit = ExitKind::kKilled;
  JobReport job = jobOf(reports);
  job.problems = {"x\x1b"};
  const std::vector<Check> checks = checkJob(job, {});
  std::vector<std::string> lines;
  for (const Check& check : checks) {
    CHECK_FALSE(checkText(check).empty());
    CHECK(failureText(check) != checkText(check));
    lines.push_back(findingText(check.findings.at(0), job));
  }
  CHECK(lines[0] == "x\\x1b");
  CHECK(lines[1] == "no report of ranks 2-3");
  CHECK(lines[2] == "rank 1: crashed or killed (the signal is not known); the numbers end at that moment");
  CHECK(lines[3] == "rank 0: ended with status 1");
  CHECK(lines[4] == "3 unknown_op: what it means; first: d (rank 0)");
  CHECK(lines[5].starts_with("all_reduce in DistributedDataParallel (backward)"));
  JobReport before = sampleJob();
  const JobReport after = grownJob();
  const JobComparison comparison = compareJobs(before, after, {}, {});
  const auto baseline = checkBaseline(before, after, comparison, {});
  CHECK(checkText(baseline[0]) == "all_gather on default_pg equals the baseline");
  CHECK(failureText(baseline[0]) == "all_gather on default_pg differs from the baseline");
  before.planned = true;
  CHECK(checkText(checkBaseline(before, after, comparison, {})[0]) == "all_gather on default_pg equals the plan");
  CHECK(findingText(baseline[0].findings.at(0), job)
            .starts_with("+1 all_gather per run in DistributedDataParallel.net1"));
  const auto budget = checkBudget(budgetOf(sampleJob()), sampleJob());
  CHECK(checkText(budget[0]).ends_with(" is within its budget"));
  CHECK(checkText(budget.back()) == "no communication outside the budget");
}

} // namespace
} // namespace commtap
