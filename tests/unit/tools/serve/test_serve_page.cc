// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/serve_paths.h"

#include <doctest/doctest.h>

#include "tests/unit/live_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the serve page has what show says of each attempt") {
  Report second = sampleReport(2);
  second.job.exit = ExitKind::kKilled;
  const std::string page = servePage(liveOf({sampleReport(0), second}), {}, "out", 0);
  CHECK(has(page, "<h2><a href=\"job?run=sample-run&amp;attempt=0\">sample-run</a></h2>"));
  CHECK(has(page, "<pre>run sample-run, started "));
  CHECK(has(page, "2 of 4 ranks: 0, 2\n"));
  CHECK(has(page, "rank 2: crashed or killed (the signal is not known); the numbers end"));
  CHECK_FALSE(has(page, "no report of"));
  CHECK(has(page, "\nKIND "));
  CHECK(has(page, "\nall_gather "));
  CHECK(has(page, "\nDistributedDataParallel.net1 "));
}

TEST_CASE("names on the serve page cannot add markup") {
  Report report = sampleReport(0);
  report.job.run_id = "<script>\"&'";
  report.collectives[0].module = "<img src=x>\n";
  LiveReports live = liveOf({report});
  live.problems = {"<b>"};
  ListedRun named;
  named.run_id = "<script>\"&'";
  named.argv = {"<img src=x>"};
  const std::string page = servePage(live, RunList{.runs = {named}}, "<i>", 0);
  CHECK(page.find("&lt;script&gt;&quot;&amp;") != std::string::npos);
  CHECK(has(page, "\n&lt;img src=x&gt;\\x0a "));
  for (const char* tag : {"<script", "<img", "<b>", "<i>"}) {
    CHECK(page.find(tag) == std::string::npos);
  }
}

TEST_CASE("the serve page shows each job's state, steps and last activity") {
  constexpr uint64_t kNsPerSecond = 1'000'000'000;
  Report report = sampleReport(0);
  report.job.exit = ExitKind::kRunning;
  report.job.ended_at_ns = std::nullopt;
  report.job.started_at_ns = 1'800'000'000 * kNsPerSecond;
  report.last.clear();
  report.steps = {{.first_step = 11, .started_at_ns = report.job.started_at_ns + 5 * kNsPerSecond}};
  const auto pageAfter = [&report](uint64_t seconds) {
    return servePage(liveOf({report}), {}, "out", report.job.started_at_ns + seconds * kNsPerSecond);
  };
  CHECK(has(pageAfter(7), "<p><strong>Running</strong>. 11 steps. Last activity 2.00 s ago.\n"));
  CHECK(has(pageAfter(65), "<p><strong class=bad>Quiet: no collective and no step for 1.00 min</strong>. 11 steps."));
  report.job.exit = ExitKind::kKilled;
  CHECK(has(pageAfter(7), "<p><strong class=bad>Ended, not by itself</strong>. 11 steps."));
  report.job.exit = ExitKind::kNormal;
  CHECK(has(pageAfter(700), "<p><strong>Ended</strong>. 11 steps."));
}

TEST_CASE("the serve page says that ranks exited with an error, and with which signal others ended") {
  Report failed = sampleReport(0);
  failed.job.exit_status = 1;
  CHECK(has(servePage(liveOf({failed}), {}, "out", 0), "Ended with an error"));
  CHECK(has(servePage(liveOf({failed}), {}, "out", 0), "rank 0: ended with status 1\n"));
  Report killed = sampleReport(1);
  killed.job.exit = ExitKind::kKilled;
  killed.job.exit_signal = 15;
  CHECK(has(servePage(liveOf({failed, killed}), {}, "out", 0), "Ended with an error")); // the launcher ended the other
  CHECK(has(servePage(liveOf({failed, killed}), {}, "out", 0), "rank 1: killed after the launcher sent SIGTERM;"));
}

TEST_CASE("the serve page lists disagreements: of a running job only those in order") {
  Report second = sampleReport(1);
  second.collectives.at(0).count += 1;
  CHECK(
      has(servePage(liveOf({sampleReport(0), second}), {}, "out", 0),
          "<p class=bad>Ranks disagree, differences found: 1;"));
  second.job.exit = ExitKind::kRunning;
  CHECK_FALSE(has(servePage(liveOf({sampleReport(0), second}), {}, "out", 0), "disagree"));
}

TEST_CASE("the serve page lists the runs of the folder, with links to the pages of those that it serves") {
  RunList list{.older = 3};
  for (const char* run : {"sample-run", "ended-run"}) {
    ListedRun& listed = list.runs.emplace_back();
    listed.run_id = run;
    listed.argv = {"/usr/bin/python", "train.py"};
    listed.end = RunEnd::kFailed;
    listed.calls = 7;
  }
  const std::string page = servePage(liveOf({sampleReport(0)}), list, "out", 0);
  CHECK(
      has(page, "<td>failed<td class=n>7<td class=n>0 B<td class=n>0 B<td><a href=\"job?run=sample-run&amp;attempt=0"));
  CHECK(has(page, "<td>ended-run<td>python train.py\n"));
  CHECK(page.find("sample-run</a><td>") < page.find("<td>ended-run"));
  CHECK(has(page, "<p>3 older runs: commtap list --all\n"));
  const std::string quiet = servePage({}, list, "out", 0);
  CHECK(has(quiet, "No job is running here"));
  CHECK(has(quiet, "<td>sample-run<td>python train.py\n"));
}

TEST_CASE("the serve page says that no job is running") {
  CHECK(servePage({}, {}, "out", 0).find("No job is running here") != std::string::npos);
}

} // namespace
} // namespace commtap
