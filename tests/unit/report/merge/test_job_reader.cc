// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_reader.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "report/runs/output.h"
#include "report/runs/report_paths.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a folder of JSON and ledgers is one job, with the files relative to it") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "node1");
  writeText(folder / "node1/x.json", reportToJson(sampleReport(0)));
  REQUIRE(sampleLedger(1)->publish(folder / "y.ledger"));
  writeText(folder / "bad.json", "{");
  std::vector<size_t> seen;
  const auto job = readJob(folder.path(), {}, [&seen](size_t done, size_t) { seen.push_back(done); });
  REQUIRE(job);
  CHECK(job->ranks == RankRanges{{0, 1}});
  CHECK(job->missing == RankRanges{{2, 3}});
  CHECK(job->processes[0].file == "node1/x.json");
  CHECK(job->processes[1].file == "y.ledger");
  CHECK(job->problems.size() == 1);
  CHECK(job->source == folder.path());
  CHECK(seen.back() == 2);
  CHECK(rowOf(*job, "DistributedDataParallel", Kind::kAllReduce).amount.ranks == 2);
}

TEST_CASE("NCCL calls are read from JSON and from ledgers") {
  const TempFolder folder;
  Report report = sampleReport(0);
  addNccl(report, 1);
  writeText(folder / "x.json", reportToJson(report));
  const std::unique_ptr<LedgerWriter> ledger = sampleLedger(1);
  REQUIRE(ledger->countNccl(22907));
  REQUIRE(ledger->publish(folder / "y.ledger"));
  const auto job = readJob(folder.path(), {}, nullptr);
  REQUIRE(job);
  REQUIRE(job->nccl);
  CHECK(job->nccl->processes == 2);
  REQUIRE(job->nccl->versions.size() == 1);
  CHECK(job->nccl->versions[0].ranks == RankRanges{{0, 1}});
  CHECK(job->nccl->calls.size() == 2);
}

TEST_CASE("a report is a job of one rank; a job report is read unchanged") {
  const TempFolder folder;
  writeText(folder / "x.json", reportToJson(sampleReport(3)));
  CHECK(readJob(folder / "x.json", {}, nullptr)->ranks == RankRanges{{3, 3}});
  const JobReport job = sampleJob();
  writeText(folder / "job.json", jobReportToJson(job));
  const auto back = readJob(folder / "job.json", {}, nullptr);
  REQUIRE(back);
  CHECK(jobReportToJson(*back) == jobReportToJson(job));
  writeText(folder / "broken.json", "{\"schema\": \"commtap.job/2\"}");
  CHECK(readJob(folder / "broken.json", {}, nullptr).error() == (folder / "broken.json") + ": report.job is missing");
}

TEST_CASE("the report that replaced a ledger is found") {
  const TempFolder folder;
  const Job job = sampleReport(1).job;
  const std::string name = folder / ledgerFileName("rank-00001", {job.host, job.pid, 1, job.run_id, 0});
  REQUIRE(sampleLedger(1)->publish(name));
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan);
  std::filesystem::remove(name);
  CHECK_FALSE(mergeScan(folder.path(), *scan, {}, nullptr));
  writeText(folder / "rank-00001.json", reportToJson(sampleReport(1)));
  const auto merged = mergeScan(folder.path(), *scan, {}, nullptr);
  REQUIRE(merged);
  CHECK(merged->processes[0].file == "rank-00001.json");
}

TEST_CASE("an error names a missing path or run") {
  const TempFolder folder;
  writeText(folder / "x.json", reportToJson(sampleReport(0)));
  CHECK(readJob(folder / "none", {}, nullptr).error().find("does not exist") != std::string::npos);
  CHECK(
      readJob(folder.path(), {"other", std::nullopt}, nullptr).error().find("no report of run \"other\"") !=
      std::string::npos);
}

TEST_CASE("a sum beyond 64 bits stays at the largest number, and a problem says so") {
  const TempFolder folder;
  for (const int64_t rank : {0, 1}) {
    Report report = sampleReport(rank);
    report.collectives[0].bytes = 1ULL << 63U;
    writeText(folder / (std::to_string(rank) + ".json"), reportToJson(report));
  }
  const auto job = readJob(folder.path(), {}, nullptr);
  REQUIRE(job);
  CHECK(sumOf(amountsOf(*job), std::nullopt, std::nullopt).bytes == UINT64_MAX);
  REQUIRE(job->problems.size() == 1);
  CHECK(has(job->problems[0], "the sum of bytes is more than 18446744073709551615"));
}

TEST_CASE("a copied report changes no number of the job and is named") {
  const TempFolder folder;
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  writeText(folder / "rank-00001.json", reportToJson(sampleReport(1)));
  const auto before = readJob(folder.path(), {}, nullptr);
  std::filesystem::create_directory(folder / "backup");
  std::filesystem::copy_file(folder / "rank-00001.json", folder / "backup/rank-00001.json");
  const auto after = readJob(folder.path(), {}, nullptr);
  REQUIRE(after);
  CHECK(jobReportToJson(*after) == jobReportToJson(*before));
  CHECK(after->problems.empty());
  REQUIRE(after->copies.size() == 1);
  CHECK(has(after->copies[0], "backup/rank-00001.json holds the same process as "));
}

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
