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
  const std::string text = noReportText({.folder = "/o\x1bt"});
  CHECK(text.find("commtap: no report was written to /o\\x1bt: ") == 0);
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(text.ends_with(": run commtap doctor -- COMMAND\n"));
}

TEST_CASE("what is known of a command without a report comes first") {
  CHECK(
      noReportText({.folder = "/out", .running = {7, 9}}) ==
      "commtap: no report was written to /out yet: 2 processes of the command may still write one (pid 7, 9)\n");
  CHECK(has(noReportText({.folder = "/out", .takes_preload_for_path = true}), ": it takes LD_PRELOAD, which names"));
  CHECK_FALSE(has(noReportText({.folder = "/out"}), "LD_PRELOAD, which names"));
  CHECK(has(noReportText({.folder = "/out"}), "its reports went to another folder"));
}

TEST_CASE("processes that loaded torch without commtap are one line with the first of them") {
  CHECK(
      missedLine({"pid 7, python a.py"}) ==
      "NOT COUNTED: 1 process loaded torch without commtap, because of another LD_PRELOAD, or none (pid 7, python "
      "a.py): add libcommtap.so to it (commtap env)\n");
  CHECK(missedLine({"pid 7", "pid 8"}).starts_with("NOT COUNTED: 2 processes loaded"));
}

TEST_CASE("further lines about the run come before the next commands") {
  const std::string text = runSummary(jobOf({sampleReport(0)}), "/out", Color::none(), "verify: OK\n");
  CHECK(text.find("\nverify: OK\nreports: /out; next:\n") != std::string::npos);
}

} // namespace
} // namespace commtap
