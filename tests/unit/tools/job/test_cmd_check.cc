// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <filesystem>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

class CheckedJobs : public TempFolder {
 public:
  CheckedJobs() {
    writeText(job(), jobReportToJson(sampleJob()));
    writeText(grown(), jobReportToJson(grownJob()));
  }
  std::string job() const {
    return *this / "job.json";
  }
  std::string grown() const {
    return *this / "grown.json";
  }
  std::string budget() const {
    return *this / "budget.toml";
  }
};

TEST_CASE("no budget is written of a run that was cut short, unless that is allowed") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.job.world_size = 1;
  report.job.exit = ExitKind::kKilled;
  writeText(folder / "rank-00000.json", reportToJson(report));
  const Outcome refused = runCommtap({"check", folder.path(), "--write", folder / "b.toml", "--allow", "not_seen"});
  CHECK(refused.status() == 1);
  CHECK(has(refused.err, "b.toml is not written: the run was cut short"));
  CHECK_FALSE(std::filesystem::exists(folder / "b.toml"));
  runCommtap({"check", folder.path(), "--write", folder / "b.toml", "--allow", "killed"});
  CHECK(std::filesystem::exists(folder / "b.toml"));
}

TEST_CASE("check passes or fails against a baseline and a budget") {
  const CheckedJobs jobs;
  CHECK(runCommtap({"check", jobs.job()}).status() == 0);
  writeText(jobs / "main.json", readText(jobs.job()));
  CHECK(runCommtap({"check", jobs.job(), "--baseline", jobs / "main.json"}).status() == 0);
  const Outcome itself = runCommtap({"check", jobs.job(), "--baseline", jobs.job()});
  CHECK(itself.status() == 2);
  CHECK(has(itself.err, "is the run that is checked"));
  CHECK(runCommtap({"check", jobs.grown(), "--baseline", jobs.job()}).status() == 1);
  CHECK(runCommtap({"check", jobs.job(), "--baseline", jobs.grown()}).status() == 1);
  CHECK(runCommtap({"check", jobs.job(), "--baseline", jobs.grown(), "--allow", "less"}).status() == 0);
  CHECK(runCommtap({"check", jobs.job(), "--write", jobs.budget()}).status() == 0);
  CHECK(runCommtap({"check", jobs.job(), "--budget", jobs.budget()}).status() == 0);
  CHECK(runCommtap({"check", jobs.grown(), "--budget", jobs.budget()}).status() == 1);
  const Words tolerant = {"check", jobs.grown(), "--budget", jobs.budget(), "--tolerance", "count=1,bytes=50%"};
  CHECK(runCommtap(tolerant).status() == 0);
}

TEST_CASE("check fails on killed ranks, and names them, unless they are allowed") {
  const TempFolder folder;
  std::vector<Report> reports = sampleReports(4);
  reports[3].job.exit = ExitKind::kKilled;
  const std::string job = folder / "job.json";
  writeText(job, jobReportToJson(jobOf(reports)));
  const Outcome outcome = runCommtap({"check", job});
  CHECK(outcome.status() == 1);
  CHECK(
      outcome.out ==
      "FAILED processes were killed or ended by a signal\n"
      "  rank 3: crashed or killed (the signal is not known); the numbers end at that moment\n"
      "1 of 6 checks failed: commtap why says more\n");
  CHECK(runCommtap({"check", job, "--allow", "killed"}).status() == 0);
  writeText(
      folder / "budget.toml",
      "schema = \"commtap.budget/1\"\nallow = [\"killed\"]\n[[budget]]\ncount = 99\nbytes = 99999\n");
  CHECK(runCommtap({"check", job, "--budget", folder / "budget.toml"}).status() == 0);
}

TEST_CASE("check fails on ranks that exited with an error, and names the status, unless they are allowed") {
  const TempFolder folder;
  std::vector<Report> reports = sampleReports(4);
  reports[1].job.exit_status = reports[2].job.exit_status = 1;
  const std::string job = folder / "job.json";
  writeText(job, jobReportToJson(jobOf(reports)));
  const Outcome outcome = runCommtap({"check", job});
  CHECK(outcome.status() == 1);
  CHECK(
      outcome.out ==
      "FAILED processes exited with another status than 0\n  ranks 1-2: ended with status 1\n"
      "1 of 6 checks failed: commtap why says more\n");
  CHECK(runCommtap({"check", job, "--allow", "failed"}).status() == 0);
}

TEST_CASE("check says how a baseline ended that was cut short") {
  const TempFolder folder;
  std::vector<Report> reports = sampleReports(4);
  writeText(folder / "job.json", jobReportToJson(jobOf(reports)));
  reports[3].job.exit_status = 3;
  writeText(folder / "base.json", jobReportToJson(jobOf(reports)));
  const Outcome outcome = runCommtap({"check", folder / "job.json", "--baseline", folder / "base.json"});
  CHECK(has(outcome.out, "note: "));
  CHECK(has(outcome.out, ": rank 3: ended with status 3\n"));
}

TEST_CASE("check neither uses nor overwrites an unreadable budget") {
  const CheckedJobs jobs;
  writeText(jobs.budget(), "precious = [");
  CHECK(runCommtap({"check", jobs.job(), "--budget", jobs.budget()}).status() == 2);
  const Outcome kept = runCommtap({"check", jobs.job(), "--write", jobs.budget()});
  CHECK(kept.status() == 2);
  CHECK(kept.err.find("the file is unchanged") != std::string::npos);
  CHECK(readText(jobs.budget()) == "precious = [");
}

TEST_CASE("check exits with 1, like the other commands, if what is there cannot be read") {
  const CheckedJobs jobs;
  const TempFolder empty;
  writeText(jobs / "bad.json", "{");
  for (const Words& arguments :
       {Words{"check", jobs / "bad.json"},
        {"check", empty.path()},
        {"check", jobs.job(), "--baseline", jobs / "bad.json"},
        {"diff", jobs.job(), jobs / "bad.json"},
        {"diff", jobs / "bad.json"},
        {"diff", empty.path(), jobs.job()},
        {"show", "--ranks", jobs / "bad.json"},
        {"show", "--ranks", empty.path()},
        {"show", jobs / "bad.json"},
        {"show", empty.path()},
        {"html", jobs / "bad.json", "-o", "-"},
        {"html", empty.path(), "-o", "-"},
        {"export", jobs / "bad.json", "--format", "csv"},
        {"export", empty.path(), "--format", "csv"}}) {
    CAPTURE(arguments[0]);
    CAPTURE(arguments[1]);
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 1);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("commtap: "));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("check reports wrong usage in one line and exits with 2") {
  const CheckedJobs jobs;
  for (const Words& arguments :
       {Words{"check"},
        {"check", jobs / "none"},
        {"check", jobs.job(), "--baseline", jobs / "none"},
        {"check", jobs.job(), "--budget", "a", "--baseline", "b"},
        {"check", jobs.job(), "--budget", "a", "--write", "b"},
        {"check", jobs.job(), "--allow", "everything"},
        {"check", jobs.job(), "--tolerance", "x=1"},
        {"check", jobs.job(), "--format", "yaml"}}) {
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("with --verify, check fails on an error in the run's samples, and without samples") {
  const TempFolder folder;
  writeText(folder / "job.json", jobReportToJson(sampleJob()));
  const Outcome none = runCommtap({"check", folder / "job.json", "--verify"});
  CHECK(none.status() == 1);
  CHECK(none.out.find("FAILED errors in the samples of parameters\n  ") != std::string::npos);
  CHECK(none.out.find("COMMTAP_VERIFY=1") != std::string::npos);
}

TEST_CASE("check says that a job still runs") {
  const TempFolder folder;
  std::vector<Report> reports = sampleReports(2);
  writeText(folder / "ended.json", jobReportToJson(jobOf(reports)));
  reports[1].job.exit = ExitKind::kRunning;
  writeText(folder / "running.json", jobReportToJson(jobOf(reports)));
  const std::string note = "note: a process still runs, or its end is not known: this is the job so far\n";
  CHECK(has(runCommtap({"check", folder / "running.json"}).out, note));
  CHECK_FALSE(has(runCommtap({"check", folder / "ended.json"}).out, note));
}

} // namespace
} // namespace commtap
