// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/plan_steps.h"

#include <doctest/doctest.h>

#include "report/job/job_report.h"
#include "report/merge/job_merge.h"
#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

/// Returns the job of one rank whose only row has `count` calls of 8 bytes, after `steps` steps.
JobReport jobOf(uint64_t count, uint64_t steps) {
  Report report = sampleReport(0);
  report.collectives.resize(1);
  report.members.clear();
  Collective& row = report.collectives[0];
  row.count = count;
  row.bytes = 8 * count;
  row.bus_bytes = 8.0 * static_cast<double>(count);
  report.steps.clear();
  for (uint64_t i = 0; i < steps; ++i) {
    Step step;
    step.first_step = i;
    step.collectives = {{row.kind, row.group, 1, 8, 0, 0}};
    report.steps.push_back(step);
  }
  return mergedJob({&report});
}

TEST_CASE("each further step adds what the last planned one added") {
  // 10 calls at the start, 4 in the first step, 2 in each other one.
  const JobReport plan = planOfSteps(jobOf(18, 3), jobOf(16, 2), 100);
  const RankedAmount& row = plan.collectives[0].amount;
  CHECK(row.count.sum == 18 + 97 * 2);
  CHECK(row.count.min == row.count.sum);
  CHECK(row.bytes.sum == 8 * row.count.sum);
  CHECK(row.bus_bytes.max == doctest::Approx(8.0 * static_cast<double>(row.count.sum)));
  CHECK(plan.totals[0].amount.count.sum == row.count.sum);
  CHECK(sumOf(plan.groups[plan.collectives[0].group].totals, {}, {}).bytes == row.bytes.sum);
}

TEST_CASE("each further step adds the split sizes of the last planned one") {
  JobReport before = jobOf(2, 1);
  before.collectives[0].splits = {1, {1, 1}, {}, {}, 0, {{0, 8}, {1, 8}}};
  JobReport last = jobOf(3, 2);
  last.collectives[0].splits = {2, {1.5, 2}, 1, 0, 1, {{0, 8}, {1, 24}}};
  CHECK(planOfSteps(last, before, 10).collectives[0].splits == Splits{10, {1.9, 2}, 1, 0, 9, {{0, 8}, {1, 152}}});
  CHECK(planOfSteps(last, before, 1).collectives[0].splits.calls == 1);
  before.collectives[0].splits = {};
  CHECK(planOfSteps(last, before, 1).collectives[0].splits == Splits());
  CHECK(planOfSteps(jobOf(3, 2), jobOf(2, 1), 10).collectives[0].splits == Splits());
}

TEST_CASE("the steps of the plan are as many as it now plans") {
  JobReport plan = jobOf(18, 3);
  plan.steps.push_back({.first_step = 3}); // had only begun when the plan ended
  CHECK(stepsOf(planOfSteps(plan, jobOf(16, 2), 100)) == 100);
  CHECK(stepsOf(planOfSteps(plan, jobOf(16, 2), 2)) == 2);
}

TEST_CASE("further steps train if planned ones do") {
  JobReport plan = jobOf(18, 3);
  CHECK(stepsOf(planOfSteps(plan, jobOf(16, 2), 100)) == 100);
  for (JobStep& step : plan.steps) {
    step.training_steps = 1;
  }
  CHECK(stepsOf(planOfSteps(plan, jobOf(16, 2), 100)) == 100);
}

TEST_CASE("a row that only the last step has is of that step") {
  JobReport before = jobOf(16, 2);
  before.collectives.clear();
  before.totals.clear();
  before.groups.clear();
  CHECK(planOfSteps(jobOf(2, 3), before, 5).collectives[0].amount.count.sum == 6);
}

TEST_CASE("rows that differ only in being compiled, in the label or in set-up are stretched by their own") {
  const auto planOf = [](uint64_t steps) {
    JobReport plan = jobOf(steps, steps);
    plan.collectives.push_back(plan.collectives[0]);
    plan.collectives.back().compiled = !plan.collectives[0].compiled;
    plan.collectives.push_back(plan.collectives[0]);
    plan.collectives.back().label = "val_metric";
    plan.collectives.push_back(plan.collectives[0]);
    plan.collectives.back().setup = true;
    plan.collectives[1].amount.count.sum = plan.collectives[3].amount.count.sum = 5; // all before the first step
    return plan;
  };
  const JobReport plan = planOfSteps(planOf(3), planOf(2), 10);
  CHECK(plan.collectives[0].amount.count.sum == 10);
  CHECK(plan.collectives[1].amount.count.sum == 5);
  CHECK(plan.collectives[2].amount.count.sum == 10);
  CHECK(plan.collectives[3].amount.count.sum == 5);
}

TEST_CASE("a row that the last step does not have stays as it is") {
  CHECK(planOfSteps(jobOf(7, 3), jobOf(7, 2), 50).collectives[0].amount.count.sum == 7);
}

TEST_CASE("the plan of one step less is what it was before the last step") {
  CHECK(planOfSteps(jobOf(18, 3), jobOf(16, 2), 2).collectives[0].amount.count.sum == 16);
  CHECK(planOfSteps(jobOf(18, 3), jobOf(16, 2), 3).collectives[0].amount.count.sum == 18);
}

} // namespace
} // namespace commtap
