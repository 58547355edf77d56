// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_columns.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tools/job/advice_text.h"

namespace commtap {
namespace {

TEST_CASE("the page's advice names the rows that prove it") {
  Report report = sampleReport(0);
  CHECK(page::adviceOf(jobOf({report})).empty());
  report.collectives.push_back(rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather));
  report.collectives.back().phase = Phase::kRecompute;
  const JobReport job = jobOf({report});
  const nlohmann::json advice = page::adviceOf(job);
  REQUIRE(advice.size() == 1);
  CHECK(advice[0]["rule"] == "recomputed");
  CHECK(advice[0]["row_count"] == 1);
  CHECK(advice[0]["stake"] == stakeText(adviceFor(job)[0], job));
  const size_t row = advice[0]["rows"][0];
  CHECK(job.collectives[row].phase == Phase::kRecompute);
}

} // namespace
} // namespace commtap
