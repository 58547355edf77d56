// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/header_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

std::string headerOf(const std::vector<Report>& reports, Scope scope = Scope::kRun) {
  return headerText(jobOf(reports), scope, Color::none());
}

TEST_CASE("the header of a complete run has two lines") {
  CHECK(
      headerOf({sampleReport(0), sampleReport(1), sampleReport(2), sampleReport(3)}) ==
      "run sample-run, started 2027-01-15T08:00:00Z (2.0 s), torch 2.13.0\nsum over 4 of 4 ranks: 0-3\n");
}

TEST_CASE("the header of a single process names no missing ranks") {
  CHECK(headerOf({sampleReport(1)}, Scope::kProcess).ends_with("\nrank 1 of 4\n"));
}

TEST_CASE("the header says how ranks ended unless all exited normally") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1), sampleReport(2), sampleReport(3)};
  reports[0].job.exit = ExitKind::kUnderscoreExit;
  reports[1].job.exit = ExitKind::kSignal;
  reports[1].job.exit_signal = 6;
  reports[2].job.exit = ExitKind::kKilled;
  reports[2].job.rank = std::nullopt;
  reports[3].job.exit = ExitKind::kRunning;
  const std::string text = headerOf(reports);
  CHECK(text.find("rank 1: ended by SIGABRT\n") != std::string::npos);
  CHECK(
      text.find(
          "1 process without a rank: crashed or killed (the signal is not known); the numbers end at that moment\n") !=
      std::string::npos);
  CHECK(text.find("rank 3: still running") != std::string::npos);
  CHECK(text.find("rank 0:") == std::string::npos);
}

TEST_CASE("the header says which ranks exited with an error, and which signal a launcher sent") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1), sampleReport(2), sampleReport(3)};
  reports[0].job.exit_status = 0;
  reports[1].job.exit_status = 1;
  reports[2].job.exit = ExitKind::kUnderscoreExit;
  reports[2].job.exit_status = 4;
  reports[3].job.exit = ExitKind::kKilled;
  reports[3].job.exit_signal = 15;
  const std::string text = headerOf(reports);
  CHECK(text.find("rank 0:") == std::string::npos);
  CHECK(text.find("rank 1: ended with status 1\n") != std::string::npos);
  CHECK(text.find("rank 2: ended with status 4\n") != std::string::npos);
  CHECK(text.find("rank 3: killed after the launcher sent SIGTERM; the numbers end") != std::string::npos);
}

TEST_CASE("the header lists not_seen with its meaning, with inert names") {
  Report report = sampleReport(0);
  report.not_seen = {{"unknown_op", 3, "a\x1b::b", "meaning"}};
  const std::string text = headerOf({report});
  CHECK(text.find("NOT SEEN") != std::string::npos);
  CHECK(text.find("  3 unknown_op: meaning; first: a\\x1b::b (rank 0)\n") != std::string::npos);
}

TEST_CASE("several attempts and other runs are mentioned") {
  JobReport job = jobOf({sampleReport(0)});
  job.attempt = 2;
  job.attempts = {0, 2};
  job.other_runs = 1;
  const std::string text = headerText(job, Color::none());
  CHECK(text.find("attempt 2 of 0 to 2 (--attempt N)\n") != std::string::npos);
  CHECK(text.find("1 other run in the same folder left out (commtap list, --run ID)\n") != std::string::npos);
}

TEST_CASE("an unknown world size or group size is shown as unknown") {
  Report report = sampleReport(0);
  report.job.world_size = std::nullopt;
  CHECK(headerOf({report}).find("sum over 1 of an unknown number ranks") != std::string::npos);
  CHECK(sizeText(0) == "?");
  CHECK(sizeText(4) == "4");
}

} // namespace
} // namespace commtap
