// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/job_verdict.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "report/model/not_seen.h"
#include "tests/unit/hang_samples.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a verdict on two looks says whether the job went on in between") {
  const auto report = std::make_shared<Report>(sampleReport(0));
  report->job.exit = ExitKind::kRunning;
  report->job.ended_at_ns.reset();
  report->job.pid = static_cast<uint64_t>(getpid());
  const uint64_t now_ns = wallClockNs();
  constexpr uint64_t kSecond = 1'000'000'000;
  report->job.started_at_ns = now_ns - 100 * kSecond;
  report->steps.clear();
  for (LastCollective& call : report->last) {
    call.issued_at_ns = now_ns - 50 * kSecond;
    call.completed_at_ns.reset();
  }
  const auto later = std::make_shared<Report>(*report);
  later->groups.front().collectives += 1;
  const std::vector<std::shared_ptr<const Report>> before = {report};
  const std::vector<std::shared_ptr<const Report>> after = {later};
  const Verdict moved = verdictOf(earlier(lookOf(before, now_ns)), lookOf(after, now_ns + kSecond), 1);
  CHECK(moved.status == HangStatus::kHealthy);
  REQUIRE(moved.ranks.size() == 1);
  CHECK(moved.ranks[0].state == RankState::kRuns);
  CHECK(moved.ranks[0].process == "runs");
  CHECK_FALSE(moved.line.empty());
  CHECK(verdictOf(earlier(lookOf(before, now_ns)), lookOf(before, now_ns + kSecond), 1).status != HangStatus::kHealthy);
}

TEST_CASE("with a damaged ledger there is no verdict: its rank may have issued what is lost") {
  std::vector<std::shared_ptr<const Report>> reports;
  for (const int64_t rank : {0, 1}) {
    const auto report = std::make_shared<Report>(sampleReport(rank));
    report->job.exit = ExitKind::kKilled;
    if (rank == 1) {
      report->groups.front().collectives = 0;
      report->last.clear();
      report->not_seen.push_back({std::string(kLedgerDamaged), 1, "the file is cut off", "damaged"});
    }
    reports.push_back(report);
  }
  const Verdict verdict = verdictOf(EarlierLook(), lookOf(reports, wallClockNs()), 1);
  CHECK(verdict.status == HangStatus::kUnknown);
  CHECK(verdict.reason == HangReason::kDamaged);
  CHECK(verdict.cause == RankRanges{{1, 1}});
  CHECK(has(verdict.line, "parts of the ledger of rank 1 are damaged"));
}

TEST_CASE("a rank without a report is not blamed while a file cannot be read") {
  const auto report = std::make_shared<Report>(sampleReport(0));
  report->job.exit = ExitKind::kRunning;
  report->last.resize(1);
  report->last.back().sequence = report->groups.front().collectives = 1;
  report->last.back().state = LastState::kReturned;
  const std::vector<std::shared_ptr<const Report>> reports = {report};
  JobLook look = lookOf(reports, wallClockNs());
  look.has_all_hosts = true;
  REQUIRE(verdictOf(EarlierLook(), look, 1).reason == HangReason::kNeverCame);
  look.problems = {"rank-00001.json: cut off"};
  const Verdict verdict = verdictOf(EarlierLook(), look, /*patience_s=*/0);
  CHECK(verdict.status == HangStatus::kUnknown);
  CHECK(verdict.reason == HangReason::kElsewhere);
  CHECK(has(verdict.line, "no report that could be read"));
  CHECK(verdict.problems == look.problems);
}

TEST_CASE("without a process with a rank the verdict is unknown") {
  const Verdict verdict = verdictOf(EarlierLook(), JobLook(), 1);
  CHECK(verdict.status == HangStatus::kUnknown);
  CHECK(has(verdict.line, "no report or ledger of a rank was found"));
}

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

TEST_CASE("the line names a rank that others waited for, though all ended well") {
  const TempFolder folder;
  HangJob job = lateJob(2, 1);
  std::vector<Report> reports;
  for (const int64_t rank : {0, 1}) {
    job.exit(rank, 0, 60);
    reports.push_back(job.report(rank));
    writeText(folder / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(reports.back()));
  }
  JobReport merged = jobOf(reports);
  CHECK(endedLine(merged, folder.path()).starts_with("why: rank 1 has not entered all_reduce #2"));
  merged.processes[0].exit = ExitKind::kRunning; // the ranks may yet agree
  CHECK(endedLine(merged, folder.path()).empty());
  merged.processes[1].exit = ExitKind::kKilled;
  CHECK_FALSE(endedLine(merged, folder.path()).empty());
  merged = jobOf(reports);
  merged.disagreements.clear();
  CHECK(endedLine(merged, folder.path()).empty());
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
