// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

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

} // namespace
} // namespace commtap
