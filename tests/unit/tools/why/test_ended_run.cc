// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/ended_run.h"

#include <doctest/doctest.h>

#include "report/json/report_json.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Writes two ranks to a folder, of which the second exited with `status`. Returns the line on their job.
std::string lineWith(const TempFolder& folder, int64_t status) {
  std::vector<Report> reports;
  for (const int64_t rank : {0, 1}) {
    Report report = sampleReport(rank);
    report.job.world_size = 2;
    report.last.clear();
    report.job.exit = ExitKind::kNormal;
    report.job.exit_status = rank == 0 ? 0 : status;
    writeText(folder / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(report));
    reports.push_back(std::move(report));
  }
  return endedLine(jobOf(reports), folder.path());
}

TEST_CASE("there is nothing to say about a run whose ranks ended well") {
  CHECK(lineWith(TempFolder(), 0).empty());
}

TEST_CASE("the line names the rank that failed, and the command that shows more") {
  const TempFolder folder;
  const std::string line = lineWith(folder, 3);
  CHECK(line.starts_with("why: "));
  CHECK(has(line, "rank 1"));
  CHECK(has(line, "exited with status 3"));
  CHECK(line.ends_with(": commtap why " + folder.path() + "\n"));
}

TEST_CASE("a newer run in the folder is not the one that ended") {
  const TempFolder folder;
  Report newer = sampleReport(0);
  newer.job.run_id = "newer";
  newer.job.started_at_ns += 3'600'000'000'000;
  writeText(folder / "newer.json", reportToJson(newer));
  CHECK(lineWith(folder, 3).empty());
}

} // namespace
} // namespace commtap
