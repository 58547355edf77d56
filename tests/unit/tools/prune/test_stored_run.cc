// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_run.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the files of a run are its reports and ledgers, with their copies") {
  const TempFolder folder;
  Report report = sampleReport(0);
  writeText(folder / "a.json", reportToJson(report));
  writeText(folder / "copy.json", reportToJson(report));
  report.job.run_id = "other";
  report.job.ended_at_ns = 9'000'000'000'000'000'000U;
  writeText(folder / "b.json", reportToJson(report));
  REQUIRE(sampleLedger(1)->publish(folder / "x.ledger"));
  const Result<ReportScan> scan = scanReports(folder.path(), nullptr, Copies::kKeep);
  REQUIRE(scan);
  const std::vector<StoredRun> runs = storedRuns(storedFiles(*scan));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].run_id == report.job.run_id.replace(0, std::string::npos, "sample-run"));
  CHECK(runs[0].files.size() == 3);
  CHECK(runs[0].has_ledger);
  CHECK(runs[0].bytes == runs[0].files[0].bytes + runs[0].files[1].bytes + runs[0].files[2].bytes);
  CHECK(runs[0].bytes > 0);
  CHECK(runs[1].run_id == "other");
  CHECK_FALSE(runs[1].has_ledger);
  CHECK(runs[1].changed_at_ns == 9'000'000'000'000'000'000U);
}

TEST_CASE("a file's own time counts if it is later than the end of its process") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.job.ended_at_ns = 5;
  writeText(folder / "a.json", reportToJson(report));
  const std::filesystem::path path = folder / "a.json";
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now());
  const std::vector<StoredFile> files = storedFiles(*scanReports(folder.path(), nullptr, Copies::kKeep));
  REQUIRE(files.size() == 1);
  CHECK(files[0].changed_at_ns > 1'700'000'000'000'000'000U);
}

TEST_CASE("a file that is gone is left out") {
  const TempFolder folder;
  writeText(folder / "a.json", reportToJson(sampleReport(0)));
  const Result<ReportScan> scan = scanReports(folder.path(), nullptr, Copies::kKeep);
  std::filesystem::remove(folder / "a.json");
  CHECK(storedFiles(*scan).empty());
}

} // namespace
} // namespace commtap
