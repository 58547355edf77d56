// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_merge.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the last activity is the newest event of a report") {
  Report report;
  report.job.started_at_ns = 10;
  CHECK(lastActivityNs(report) == 10);
  report.steps.push_back({.started_at_ns = 20});
  CHECK(lastActivityNs(report) == 20);
  report.last.push_back({.issued_at_ns = 30, .completed_at_ns = 50});
  report.last.push_back({.issued_at_ns = 40});
  CHECK(lastActivityNs(report) == 50);
  report.job.ended_at_ns = 60;
  CHECK(lastActivityNs(report) == 60);
  CHECK(lastEventNs(report) == 50);
  CHECK(lastEventNs(report, 45) == 40);
  CHECK(lastEventNs(report, 5) == 10);
  report.job.exit = ExitKind::kKilled; // `ended_at` is the time of the launcher's signal
  CHECK(lastActivityNs(report) == 50);
}

} // namespace
} // namespace commtap
