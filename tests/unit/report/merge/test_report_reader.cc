// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "report/json/report_json.h"
#include "report/runs/output.h"
#include "report/runs/report_paths.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

FoundReport foundAt(const std::string& path, bool is_ledger = false) {
  return {path, is_ledger, sampleReport(0).job, 0};
}

std::vector<ReadReport> readAll(const std::vector<FoundReport>& found, const Progress& progress = {}) {
  std::vector<ReadReport> reports;
  forEachReport(found, ReportDepth::kAll, progress, [&](ReadReport report) { reports.push_back(std::move(report)); });
  return reports;
}

TEST_CASE("reports and ledgers are visited in the order in which they were found, with the progress") {
  const TempFolder folder;
  std::vector<FoundReport> found;
  for (int64_t rank = 0; rank < 12; ++rank) {
    const std::string path = folder / std::to_string(rank) + ".json";
    writeText(path, reportToJson(sampleReport(rank)));
    found.push_back(foundAt(path));
  }
  REQUIRE(sampleLedger(12)->publish(folder / "12.ledger"));
  found.push_back(foundAt(folder / "12.ledger", true));
  size_t done = 0;
  const std::vector<ReadReport> reports = readAll(found, [&](size_t read, size_t of) {
    done = read;
    CHECK(of == 13);
  });
  CHECK(done == 13);
  REQUIRE(reports.size() == 13);
  for (size_t i = 0; i < reports.size(); ++i) {
    REQUIRE(reports[i].report);
    CHECK(reports[i].path == found[i].path);
    CHECK(reports[i].report->job.rank == static_cast<int64_t>(i));
  }
}

TEST_CASE("a file that cannot be read is an error, and the others are read") {
  const TempFolder folder;
  writeText(folder / "bad.json", "{");
  writeText(folder / "bad.ledger", "x");
  writeText(folder / "good.json", reportToJson(sampleReport(0)));
  const std::vector<ReadReport> reports = readAll(
      {foundAt(folder / "bad.json"),
       foundAt(folder / "bad.ledger", true),
       foundAt(folder / "none.json"),
       foundAt(folder / "good.json")});
  REQUIRE(reports.size() == 4);
  for (size_t i = 0; i < 3; ++i) {
    CHECK_FALSE(reports[i].report);
  }
  CHECK(reports[1].report.error().find(folder / "bad.ledger") == 0);
  CHECK(reports[3].report);
}

TEST_CASE("the report that has replaced a ledger is read in its place, if it is of the same process") {
  const TempFolder folder;
  const Job job = sampleReport(0).job;
  const std::string name = ledgerFileName("rank-00000", {job.host, job.pid, 0, job.run_id, 0});
  const std::vector<FoundReport> found{foundAt(folder / name, true)};
  const std::string report = placesAfter(found[0].path, found[0].job).at(0);
  Report other = sampleReport(0);
  other.job.pid += 1;
  writeText(report, reportToJson(other));
  CHECK_FALSE(readAll(found).at(0).report);
  writeText(report, reportToJson(sampleReport(0)));
  const std::vector<ReadReport> reports = readAll(found);
  CHECK(reports[0].report);
  CHECK(reports[0].path == report);
}

} // namespace
} // namespace commtap
