// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("a disagreement survives a round trip through its name") {
  for (int i = 0; i < kDisagreementKinds; ++i) {
    const auto what = static_cast<Disagreement::What>(i);
    CHECK(disagreementFromName(disagreementName(what)) == what);
  }
  CHECK_FALSE(disagreementFromName("order of magnitude"));
}

TEST_CASE("disagreements of kind kModule are not serious") {
  std::vector<Report> reports = sampleReports(2);
  rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce).module = "DistributedDataParallel.net2";
  CHECK(jobOf(reports).disagreements.size() == 2);
  CHECK(seriousDisagreements(jobOf(reports)).empty());
  rowOf(reports[0], "Global", Kind::kBroadcast).count = 9;
  CHECK(jobOf(reports).disagreements.size() == 3);
  CHECK(seriousDisagreements(jobOf(reports)).size() == 1);
  CHECK(seriousDisagreements(sampleJob()).empty());
}

TEST_CASE("only the order of collectives says already of running ranks that they differ") {
  for (int i = 0; i < kDisagreementKinds; ++i) {
    const Disagreement disagreement{.what = static_cast<Disagreement::What>(i)};
    CHECK(mayYetAgree(disagreement, true) == (disagreement.what != Disagreement::What::kOrder));
    CHECK_FALSE(mayYetAgree(disagreement, false));
  }
}

TEST_CASE("a job runs while one of its processes does, and has ended badly if one failed or was killed") {
  std::vector<Report> reports = sampleReports(2);
  CHECK_FALSE(isRunning(jobOf(reports)));
  CHECK_FALSE(hasEndedBadly(jobOf(reports)));
  reports[1].job.exit = ExitKind::kRunning;
  CHECK(isRunning(jobOf(reports)));
  CHECK_FALSE(hasEndedBadly(jobOf(reports)));
  reports[1].job.exit = ExitKind::kKilled;
  CHECK_FALSE(isRunning(jobOf(reports)));
  CHECK(hasEndedBadly(jobOf(reports)));
}

TEST_CASE("the amounts of a job are the sums over its ranks") {
  const Amounts amounts = amountsOf(jobOf(sampleReports(2)));
  CHECK(sumOf(amounts, {}, {}) == Amount{8, 2 * (320 + 64 + 2048), 2 * (480.0 + 64 + 1536)});
  CHECK(amounts == jobOf(sampleReports(2)).groups[0].totals);
  CHECK(amounts == jobOf(sampleReports(2)).modules[0].inclusive);
}

constexpr uint64_t kHalf = 1ULL << 63U;

using Names = std::vector<std::string>;

TEST_CASE("a job whose sums fit has none to name") {
  CHECK(saturatedSums(sampleJob()).empty());
  CHECK(saturatedSums(ncclJob()).empty());
}

TEST_CASE("each saturated sum is named once") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    report.collectives.at(0).count = kHalf;
    report.modules.at(1).calls[0] = kHalf;
    report.steps.at(0).collectives.at(0).count = kHalf;
    report.steps.at(0).collectives.at(0).exposed_ns = kHalf;
    report.collectives.at(1).time.durations[static_cast<size_t>(DurationKind::kRunning)] = {2, kHalf, 1, kHalf, {}};
    addNccl(report, kHalf);
    report.not_seen = {{"no_torch", kHalf, "", ""}};
  }
  const Names names = saturatedSums(jobOf(reports));
  const Names expected = {
      "count",
      "a module's calls",
      "NCCL calls",
      "a step's count",
      "a step's exposed_ns",
      "collectives' running_ns",
      "not_seen"};
  CHECK(names == expected);
}

TEST_CASE("the rows that a table adds up are added up") {
  std::vector<Report> reports = sampleReports(1);
  std::vector<StepAmount>& amounts = reports[0].steps.at(0).collectives;
  amounts.resize(1);
  amounts[0].bytes = kHalf;
  amounts.push_back(amounts[0]);
  amounts[1].kind = amounts[0].kind == Kind::kBarrier ? Kind::kAllReduce : Kind::kBarrier;
  CHECK(saturatedSums(jobOf(reports)) == Names{"a step's bytes"});
}

TEST_CASE("the line names the source and the number") {
  CHECK(
      saturatedLine("out", "count") ==
      "out: the sum of count is more than 18446744073709551615 and is given as this number");
}

/// Returns a step that no rank has completed.
JobStep openStep(uint64_t first_step, uint64_t calls) {
  JobStep step;
  step.first_step = first_step;
  step.ranks = 1;
  JobStepAmount amount;
  amount.count.sum = calls;
  step.collectives = {amount};
  return step;
}

JobStep completedSteps(uint64_t first_step, uint64_t steps, uint64_t calls) {
  JobStep step = openStep(first_step, calls);
  step.steps = steps;
  step.timed_ranks = 1;
  return step;
}

TEST_CASE("the last step counts if a rank completed it, or if it communicated") {
  JobReport job;
  CHECK(stepsOf(job) == 0);
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 1, 2), openStep(2, 2)};
  CHECK(stepsOf(job) == 3);
  job.steps[2] = completedSteps(2, 1, 0); // as local SGD
  CHECK(stepsOf(job) == 3);
}

TEST_CASE("the step that had only begun when a plan ended is no step") {
  JobReport job;
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 1, 2), completedSteps(2, 1, 2), openStep(3, 0)};
  CHECK(stepsOf(job) == 3);
  job.steps[3].collectives.clear();
  CHECK(stepsOf(job) == 3);
}

TEST_CASE("steps that the report adds up count with their number, up to the largest one") {
  JobReport job;
  job.steps = {completedSteps(0, 1, 1), completedSteps(1, 64, 64)};
  CHECK(stepsOf(job) == 65);
  job.steps.push_back(completedSteps(UINT64_MAX, 8, 1));
  CHECK(stepsOf(job) == UINT64_MAX);
}

TEST_CASE("the last step counts if it trained, also if it did not communicate") {
  JobReport job;
  job.steps = {completedSteps(0, 1, 2), openStep(1, 0)};
  CHECK(stepsOf(job) == 1);
  job.steps[0].training_steps = job.steps[1].training_steps = 1;
  CHECK(stepsOf(job) == 2);
}

TEST_CASE("what is outside of the training steps is no step, and its rows are among them in order") {
  JobReport job;
  job.outside_steps = {completedSteps(0, 6, 6), completedSteps(2, 1, 1)};
  job.steps = {completedSteps(0, 1, 2), completedSteps(1, 1, 2)};
  CHECK(stepsOf(job) == 2);
  std::vector<uint64_t> training;
  for (const StepsThatTrain& each : trainingSteps(job)) {
    training.push_back(each.training);
  }
  CHECK(training == std::vector<uint64_t>{0, 1, 1, 0});
}

TEST_CASE(
    "the step of a job that was killed in it is unfinished, and what follows the last step of another job is none") {
  JobReport job;
  job.steps = {completedSteps(0, 2, 2)};
  job.outside_steps = {completedSteps(1, 1, 1), openStep(2, 3)};
  job.processes = {
      {.rank = 0, .host = {}, .exit = ExitKind::kKilled, .exit_signal = {}, .file = {}, .exit_status = {}}};
  CHECK(unfinishedStep(job) == &job.outside_steps[1]);
  job.processes[0].exit = ExitKind::kNormal; // an evaluation
  CHECK(unfinishedStep(job) == nullptr);
  job.processes[0].exit = ExitKind::kRunning;
  job.outside_steps[1] = openStep(2, 0);
  CHECK(unfinishedStep(job) == nullptr);
  job.outside_steps[1] = openStep(1, 3); // of a rank that did not come as far
  CHECK(unfinishedStep(job) == nullptr);
}

TEST_CASE("rows of the same steps count once, and the step that has only begun does not") {
  JobReport job;
  job.steps = {completedSteps(0, 2, 1), completedSteps(0, 4, 1), completedSteps(2, 2, 1), openStep(4, 0)};
  const std::vector<StepsThatTrain> rows = trainingSteps(job);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].row == &job.steps[2]);
}

} // namespace
} // namespace commtap
