// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("a disagreement's name leads back to it") {
  for (int i = 0; i < kDisagreementKinds; ++i) {
    const auto what = static_cast<Disagreement::What>(i);
    CHECK(disagreementFromName(disagreementName(what)) == what);
  }
  CHECK_FALSE(disagreementFromName("order of magnitude"));
}

TEST_CASE("calls for other modules are not serious") {
  std::vector<Report> reports = sampleReports(2);
  rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce).module = "DistributedDataParallel.net2";
  CHECK(jobOf(reports).disagreements.size() == 2);
  CHECK(seriousDisagreements(jobOf(reports)).empty());
  rowOf(reports[0], "Global", Kind::kBroadcast).count = 9;
  CHECK(jobOf(reports).disagreements.size() == 3);
  CHECK(seriousDisagreements(jobOf(reports)).size() == 1);
  CHECK(seriousDisagreements(sampleJob()).empty());
}

TEST_CASE("the summary of a job is that of its reports") {
  std::vector<Report> reports = sampleReports(3);
  reports[1].job.exit = ExitKind::kKilled;
  reports[2].not_seen = {{"unknown_op", 2, "a::b", "m"}};
  std::vector<const Report*> pointers;
  for (const Report& report : reports) {
    pointers.push_back(&report);
  }
  const JobSummary expected = summaryOf(pointers);
  const JobSummary summary = summaryOf(jobOf(reports));
  CHECK(summary.run_id == expected.run_id);
  CHECK(summary.ranks == expected.ranks);
  CHECK(summary.rank_count == expected.rank_count);
  CHECK(summary.missing == expected.missing);
  CHECK(summary.processes == expected.processes);
  CHECK(summary.started_at_ns == expected.started_at_ns);
  CHECK(summary.ended_at_ns == expected.ended_at_ns);
  REQUIRE(summary.exits.size() == expected.exits.size());
  CHECK(summary.exits[1].ranks == expected.exits[1].ranks);
  CHECK(summary.not_seen[0].ranks == expected.not_seen[0].ranks);
}

} // namespace
} // namespace commtap
