// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_paths.h"

#include <doctest/doctest.h>

#include "report/runs/output.h"
#include "report/runs/report_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("reportPaths lists reports and ledgers below a folder by name, sorted") {
  const TempFolder folder;
  for (const char* name : {"b.json", "a.ledger", "c.txt"}) {
    writeText(folder / name, "");
  }
  std::vector<std::string> problems;
  CHECK(reportPaths(folder.path(), problems) == std::vector<std::string>{folder / "a.ledger", folder / "b.json"});
  CHECK(reportPaths(folder / "c.txt", problems) == std::vector<std::string>{folder / "c.txt"});
  CHECK(problems.empty());
}

TEST_CASE("vanished() is true for a missing file") {
  const TempFolder folder;
  writeText(folder / "a", "");
  CHECK_FALSE(vanished(folder / "a"));
  CHECK(vanished(folder / "b"));
}

TEST_CASE("placesAfter() returns the possible report paths of a ledger") {
  const TempFolder folder;
  const Report report = sampleReport(3);
  const std::string ledger =
      folder / ledgerFileName("rank-00003", {report.job.host, report.job.pid, 3, report.job.run_id, 0});
  const auto written = writeReportFile(folder.path(), "rank-00003", report);
  REQUIRE(written);
  const auto places = placesAfter(ledger, report.job);
  REQUIRE(places.size() == 6);
  CHECK(places[0] == *written);
  CHECK(places[2] == folder / "rank-00003.json.zst");
  CHECK(places[3] == folder / ("rank-00003.pid-" + std::to_string(report.job.pid) + ".json"));
  CHECK(placesAfter("other.ledger", report.job).empty());
}

} // namespace
} // namespace commtap
