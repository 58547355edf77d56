// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

/// Returns the calls that are in every step of the row labelled full_tensor.
double inEveryStep(AdvisedJob& jobs) {
  const JobReport& job = jobs.job();
  for (const JobCollective& row : job.collectives) {
    if (row.label == "full_tensor") {
      return Findings(job).callsInEveryStep(row);
    }
  }
  return -1;
}

TEST_CASE("what a row has in every step is what remains without the calls by which steps differ") {
  AdvisedJob jobs;
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 3, kMiB);
  jobs.add("Global", Phase::kOther, Kind::kAllGather, 2, 8).label = "full_tensor";
  CHECK(inEveryStep(jobs) == doctest::Approx(2));
  SUBCASE("the last step has four more, which may be the row's") {
    jobs.report().steps.back().collectives.back().count += 4;
    jobs.report().collectives.back().count += 4;
    CHECK(inEveryStep(jobs) == doctest::Approx(2));
  }
  SUBCASE("all of the row's calls are in one step") {
    for (Step& step : jobs.report().steps) {
      step.collectives.back().count = step.first_step == 0 ? 2 * AdvisedJob::kSteps : 0;
    }
    CHECK(inEveryStep(jobs) == 0);
  }
  SUBCASE("set-up of the same kind and group makes the first step no other") {
    Collective& setup = jobs.add("Global", Phase::kOther, Kind::kAllGather, 0, 0);
    setup.setup = true;
    setup.count = 3;
    jobs.report().steps.front().collectives.back().count += 3;
    CHECK(inEveryStep(jobs) == doctest::Approx(2));
  }
  SUBCASE("steps that are added up prove nothing alone: a checkpoint may be in one of them") {
    Step& all = jobs.report().steps.front();
    all.steps = AdvisedJob::kSteps;
    all.collectives.back().count *= AdvisedJob::kSteps;
    jobs.report().steps.resize(1);
    CHECK(inEveryStep(jobs) == 0);
  }
  SUBCASE("a report without steps proves nothing") {
    jobs.report().steps.clear();
    CHECK(inEveryStep(jobs) == 0);
  }
}

TEST_CASE("what is in every training step need not be in evaluations") {
  AdvisedJob jobs;
  jobs.add("Global", Phase::kOther, Kind::kAllGather, 2, 8).label = "full_tensor";
  jobs.report().collectives.back().count -= 2;
  jobs.report().steps.front().collectives.back().count = 0;
  CHECK(inEveryStep(jobs) == 0);
  for (Step& step : jobs.report().steps) {
    step.training_steps = step.first_step == 0 ? std::nullopt : std::optional<uint64_t>(1);
  }
  CHECK(inEveryStep(jobs) == doctest::Approx(2));
}

/// Returns the calls of all rows as one finding.
double callsOf(AdvisedJob& jobs) {
  const JobReport& job = jobs.job();
  Findings findings(job);
  for (const JobCollective& row : job.collectives) {
    findings.add(AdviceRule::kSmall, row);
  }
  return findings.take().at(0).calls;
}

TEST_CASE("rows of different ranks are not added up: numbers are per rank that has any of them") {
  AdvisedJob jobs(4);
  for (size_t rank = 0; rank < 4; ++rank) {
    jobs.add(rank < 2 ? kLayer : kNextLayer, Phase::kBackward, Kind::kAllGather, 2, kMiB, rank);
  }
  CHECK(callsOf(jobs) == doctest::Approx(2));
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 4, kMiB, 3);
  CHECK(callsOf(jobs) == doctest::Approx(3)); // of all four ranks
}

TEST_CASE("a row is divided by the steps that can have it: evaluations have no backward") {
  AdvisedJob jobs; // of four steps, of which one evaluates
  for (Step& step : jobs.report().steps) {
    step.training_steps = step.first_step == 0 ? std::nullopt : std::optional<uint64_t>(1);
  }
  Collective& backward = jobs.add(kLayer, Phase::kBackward, Kind::kReduceScatter, 2, kMiB);
  backward.count = 6;
  jobs.report().steps.front().collectives.pop_back();
  CHECK(callsOf(jobs) == doctest::Approx(2));
  jobs.report().collectives.clear();
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 2, kMiB);
  CHECK(callsOf(jobs) == doctest::Approx(2));
  jobs.report().steps.clear();
  CHECK(callsOf(jobs) == doctest::Approx(2 * AdvisedJob::kSteps)); // per run
}

TEST_CASE("the calls of training are those that evaluations did not make, nor set-up") {
  AdvisedJob jobs; // of four steps, of which one evaluates
  for (Step& step : jobs.report().steps) {
    step.training_steps = step.first_step == 0 ? std::nullopt : std::optional<uint64_t>(1);
  }
  jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 2, kMiB);
  jobs.add(kNextLayer, Phase::kForward, Kind::kAllGather, 4, kMiB);
  jobs.add(kLayer, Phase::kBackward, Kind::kAllGather, 0, kMiB).count = 6;
  Collective& setup = jobs.add("Global", Phase::kOther, Kind::kAllGather, 0, 0);
  setup.setup = true;
  setup.count = 5;
  jobs.report().steps.front().collectives.back().count += 5;
  const auto trainingCalls = [&jobs](size_t row) {
    const JobReport& job = jobs.job();
    return Findings(job).trainingCalls(job.collectives.at(row));
  };
  std::map<std::pair<std::string, Phase>, uint64_t> calls;
  for (size_t i = 0; i < jobs.job().collectives.size(); ++i) {
    const JobCollective row = jobs.job().collectives[i];
    calls[{row.module, row.phase}] = trainingCalls(i);
  }
  CHECK(calls.at({kLayer, Phase::kForward}) == 6);
  CHECK(calls.at({kNextLayer, Phase::kForward}) == 12);
  CHECK(calls.at({kLayer, Phase::kBackward}) == 6);
}

TEST_CASE("a finding adds up the shares of its rows per rank and step, by rule and group") {
  AdvisedJob jobs(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    jobs.add(kLayer, Phase::kForward, Kind::kAllGather, 2, kMiB, rank);
  }
  const JobReport& job = jobs.job();
  Findings findings(job);
  findings.add(AdviceRule::kSmall, job.collectives[0]);
  findings.add(AdviceRule::kSmall, job.collectives[0], {0.5, 0});
  const std::vector<Advice> all = findings.take();
  REQUIRE(all.size() == 1);
  CHECK(all[0].rule->rule == AdviceRule::kSmall);
  CHECK(all[0].calls == doctest::Approx(3));
  CHECK(all[0].bytes == doctest::Approx(kMiB));
  CHECK(all[0].rows.size() == 2);
}

} // namespace
} // namespace commtap
