// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_summary.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tools/show/screen_text.h"

namespace commtap {
namespace {

TEST_CASE("the summary has the means by kind and group, most bytes first, and where to look") {
  const std::string text = runSummary(jobOf({sampleReport(0), sampleReport(1)}), "/out", Color::none());
  CHECK(text.find("2 of 4 ranks: 0-1\nno report of ranks 2-3\n") != std::string::npos);
  CHECK(text.find(kindsText(jobOf({sampleReport(0), sampleReport(1)}), Color::none())) != std::string::npos);
  CHECK(text.find("all_gather  default_pg     4") < text.find("all_reduce  default_pg     4"));
  CHECK(
      text.ends_with("reports: /out; next:\n"
                     "  commtap show /out  # by module, on one screen\n"
                     "  commtap html /out -o /out/report.html  # as a page for a browser\n"
                     "  commtap show --ranks /out  # how the ranks differ\n"));
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

TEST_CASE("further lines about the run come before the next commands") {
  const std::string text = runSummary(jobOf({sampleReport(0)}), "/out", Color::none(), "verify: OK\n");
  CHECK(text.find("\nverify: OK\nreports: /out; next:\n") != std::string::npos);
}

} // namespace
} // namespace commtap
