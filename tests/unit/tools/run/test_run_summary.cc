// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_summary.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("the summary has the sum over the ranks by kind and group, most bytes first, and where to look") {
  const std::string text = runSummary(jobOf({sampleReport(0), sampleReport(1)}), "/out", Color::none());
  CHECK(text.find("sum over 2 of 4 ranks: 0-1\nno report of ranks 2-3\n") != std::string::npos);
  CHECK(
      text.find("all_gather  default_pg     4      4  4.00 KiB   3.00 KiB\n"
                "all_reduce  default_pg     4      2     640 B      960 B\n") != std::string::npos);
  CHECK(
      text.ends_with("reports: /out; next:\n"
                     "  commtap show /out  # the numbers by module, kind and group\n"
                     "  commtap html /out -o /out/report.html  # as a page for a browser\n"
                     "  commtap merge /out  # how the ranks differ\n"));
}

TEST_CASE("the summary's commands name a folder with blanks in quotes") {
  const std::string text = runSummary(jobOf({sampleReport(0)}), "/my 'out'", Color::none());
  CHECK(text.find("reports: /my 'out'; next:\n") != std::string::npos);
  CHECK(text.find("  commtap show '/my '\\''out'\\'''  #") != std::string::npos);
  CHECK(text.find(" -o '/my '\\''out'\\''/report.html'  #") != std::string::npos);
}

TEST_CASE("one line names advice, if there is any") {
  CHECK(runSummary(jobOf({sampleReport(0)}), "/out", Color::none()).find("advice:") == std::string::npos);
  Report report = sampleReport(0);
  report.collectives.push_back(rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather));
  report.collectives.back().phase = Phase::kRecompute;
  CHECK(
      runSummary(jobOf({report}), "/out", Color::none()).find("\nadvice: recomputed: commtap advise /out\nreports:") !=
      std::string::npos);
}

TEST_CASE("one report of a run of many misses the others") {
  CHECK(
      runSummary(jobOf({sampleReport(0)}), "/out", Color::none()).find("no report of ranks 1-3") != std::string::npos);
}

TEST_CASE("without a report one line says why that may be") {
  const std::string text = runSummary(Result<JobReport>::failure("none"), "/o\x1bt", Color::none());
  CHECK(text.find("commtap: no report was written to /o\\x1bt: ") == 0);
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(text.ends_with(": run commtap doctor -- COMMAND\n"));
}

TEST_CASE("the run summary cuts a long table and says so") {
  Report report = sampleReport(0);
  for (int i = 0; i < 20; ++i) {
    report.collectives.push_back(report.collectives[0]);
    report.collectives.back().group = "g" + std::to_string(i);
  }
  CHECK(runSummary(jobOf({report}), "/out", Color::none()).find("... and 11 more rows") != std::string::npos);
}

TEST_CASE("further lines about the run come before the next commands") {
  const std::string text = runSummary(jobOf({sampleReport(0)}), "/out", Color::none(), "verify: OK\n");
  CHECK(text.find("\nverify: OK\nreports: /out; next:\n") != std::string::npos);
}

} // namespace
} // namespace commtap
