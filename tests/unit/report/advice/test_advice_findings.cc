// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

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
  SUBCASE("a report without steps proves nothing") {
    jobs.report().steps.clear();
    CHECK(inEveryStep(jobs) == 0);
  }
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
