// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_check.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("checkJob passes a sound job; a fault fails its check unless it is allowed") {
  CHECK(passed(checkJob(sampleJob(), {})));
  std::vector<Report> reports = {sampleReport(0), sampleReport(1)};
  rowOf(reports[1], "DistributedDataParallel", Kind::kAllReduce).count = 2;
  reports[0].not_seen = {{"unknown_op", 1, "", "m"}};
  reports[0].job.exit = ExitKind::kSignal;
  reports[1].job.exit_status = 1;
  JobReport job = jobOf(reports);
  job.problems = {"x"};
  const std::vector<Check> checks = checkJob(job, {});
  REQUIRE(checks.size() == 6);
  const Finding::What expected[] = {
      Finding::What::kUnreadable,
      Finding::What::kMissingRanks,
      Finding::What::kKilled,
      Finding::What::kFailed,
      Finding::What::kNotSeen,
      Finding::What::kDisagreement};
  for (size_t i = 0; i < 6; ++i) {
    REQUIRE(checks[i].findings.size() == 1);
    CHECK(checks[i].findings[0].what == expected[i]);
  }
  job.problems.clear();
  const std::vector<Allowed> all = {
      Allowed::kMissingRanks, Allowed::kKilled, Allowed::kFailed, Allowed::kNotSeen, Allowed::kDisagreements};
  CHECK(passed(checkJob(job, all)));
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<Allowed> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(passed(checkJob(job, others)));
  }
}

TEST_CASE("checkJob fails on killed ranks, one finding per ending") {
  std::vector<Report> reports = sampleReports(4);
  reports[1].job.exit = reports[2].job.exit = ExitKind::kKilled;
  reports[3].job.exit = ExitKind::kSignal;
  reports[3].job.exit_signal = 6;
  const JobReport job = jobOf(reports);
  const std::vector<Check> checks = checkJob(job, {});
  CHECK_FALSE(passed(checks));
  REQUIRE(checks[2].what == Check::What::kEnded);
  REQUIRE(checks[2].findings.size() == 2);
  CHECK(checks[2].findings[0].exit->signal == 6);
  CHECK(checks[2].findings[1].exit->ranks == RankRanges{{1, 2}});
  CHECK(passed(checkJob(job, {Allowed::kKilled})));
}

TEST_CASE("checkJob fails on ranks that exited with an error, one finding per status") {
  std::vector<Report> reports = sampleReports(4);
  reports[0].job.exit_status = 0;
  reports[1].job.exit_status = reports[2].job.exit_status = 1;
  reports[3].job.exit = ExitKind::kUnderscoreExit;
  reports[3].job.exit_status = 4;
  const JobReport job = jobOf(reports);
  const std::vector<Check> checks = checkJob(job, {});
  CHECK_FALSE(passed(checks));
  CHECK(checks[2].findings.empty());
  REQUIRE(checks[3].what == Check::What::kSucceeded);
  REQUIRE(checks[3].findings.size() == 2);
  CHECK(checks[3].findings[0].what == Finding::What::kFailed);
  CHECK(checks[3].findings[0].exit->status == 1);
  CHECK(checks[3].findings[0].exit->ranks == RankRanges{{1, 2}});
  CHECK(checks[3].findings[1].exit->status == 4);
  CHECK(passed(checkJob(job, {Allowed::kFailed})));
}

/// Returns the checks against a run as a whole.
std::vector<Check> baselineChecks(
    const JobReport& before,
    const JobReport& after,
    const std::vector<Tolerance>& rules,
    const std::vector<Allowed>& allowed) {
  return checkBaseline(before, after, compareJobs(before, after, rules, {}), allowed);
}

TEST_CASE("checkBaseline has one check per kind and group and finds more, less, new and gone") {
  const JobReport before = sampleJob();
  const JobReport after = grownJob();
  CHECK(baselineChecks(before, before, {}, {}).size() == 3);
  CHECK(passed(baselineChecks(before, before, {}, {})));
  const auto checks = baselineChecks(before, after, {}, {});
  CHECK(checks[0].subject == "all_gather on default_pg");
  REQUIRE(checks[0].findings.size() == 1);
  CHECK(checks[0].findings[0].what == Finding::What::kMore);
  CHECK(checks[1].findings.empty());
  CHECK_FALSE(passed(baselineChecks(after, before, {}, {})));
  CHECK(passed(baselineChecks(after, before, {}, {Allowed::kLess})));
  CHECK(passed(baselineChecks(before, after, {*parseTolerance("count=1,bytes=50%")}, {})));
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    rowOf(report, "DistributedDataParallel", Kind::kAllReduce).kind = Kind::kReduce;
  }
  const auto moved = baselineChecks(before, jobOf(reports), {}, {});
  REQUIRE(moved.size() == 4);
  CHECK(moved[1].findings.at(0).what == Finding::What::kGone);
  CHECK(moved[3].findings.at(0).what == Finding::What::kNew);
}

TEST_CASE("checkBaseline fails on other ranks with the same numbers") {
  const JobReport before = sampleJob();
  std::vector<Report> reports = sampleReports(4);
  for (const size_t rank : {2, 3}) {
    std::erase_if(reports[rank].collectives, [](const Collective& row) { return row.kind == Kind::kAllGather; });
  }
  const JobReport after = jobOf(reports);
  const auto fewer = baselineChecks(before, after, {}, {});
  REQUIRE(fewer[0].findings.size() == 1);
  CHECK(fewer[0].findings[0].what == Finding::What::kLess);
  CHECK(passed(baselineChecks(before, after, {}, {Allowed::kLess})));
  CHECK(passed(baselineChecks(before, after, {*parseTolerance("kind=all_gather,ranks=2")}, {})));
  const auto more = baselineChecks(after, before, {}, {Allowed::kLess});
  REQUIRE(more[0].findings.size() == 1);
  CHECK(more[0].findings[0].what == Finding::What::kMore);
}

TEST_CASE("checkBudget has one check per entry and one for all other rows") {
  const Budget budget = budgetOf(sampleJob());
  CHECK(checkBudget(budget, sampleJob()).size() == 4);
  CHECK(passed(checkBudget(budget, sampleJob())));
  CHECK_FALSE(passed(checkBudget(budget, grownJob())));
  Budget less = budget;
  less.entries.pop_back();
  const auto checks = checkBudget(less, sampleJob());
  CHECK(checks.back().what == Check::What::kNoOther);
  CHECK(checks.back().findings.at(0).what == Finding::What::kNew);
}

TEST_CASE("a pattern of the budget that names nothing fails its check") {
  Budget budget = budgetOf(sampleJob());
  budget.entries[0].pattern.module = "Renamed.net1";
  const auto checks = checkBudget(budget, sampleJob());
  REQUIRE(checks[0].findings.size() == 1);
  CHECK(checks[0].findings[0].what == Finding::What::kUnmatched);
  CHECK(checks[0].findings[0].problem == "no module is named Renamed.net1");
}

TEST_CASE("a module that exists and does not communicate is within its budget") {
  JobReport job = sampleJob();
  for (JobCollective& row : job.collectives) {
    row.kind = row.kind == Kind::kAllGather ? Kind::kSend : row.kind;
  }
  Budget budget = budgetOf(job);
  const size_t entries = budget.entries.size();
  for (const Kind kind : {Kind::kAllToAll, Kind::kSend}) {
    budget.entries.push_back(
        {.pattern = {.module = "DistributedDataParallel", .phase = Phase::kRecompute, .kind = kind}});
  }
  CHECK(passed(checkBudget(budget, job)));
  budget.entries[entries].pattern.module = "DistributedDataParallel.typo";
  CHECK_FALSE(passed(checkBudget(budget, job)));
}

} // namespace
} // namespace commtap
