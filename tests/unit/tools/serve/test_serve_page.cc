// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/serve_paths.h"

#include <doctest/doctest.h>

#include "report/base/process.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/live_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the serve page has what show says of each attempt") {
  Report second = sampleReport(2);
  second.job.exit = ExitKind::kKilled;
  const std::string page = servePage(liveOf({sampleReport(0), second}), {}, {}, "out", 0);
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
  const std::string page = servePage(live, {}, RunList{.runs = {named}}, "<i>", 0);
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
    return servePage(liveOf({report}), {}, {}, "out", report.job.started_at_ns + seconds * kNsPerSecond);
  };
  CHECK(has(pageAfter(7), "<p><strong>Running</strong>. 11 steps. Last activity 2.00 s ago.\n"));
  CHECK(has(pageAfter(65), "<p><strong class=bad>Quiet: no collective and no step for 1.00 min</strong>. 11 steps."));
  report.job.exit = ExitKind::kKilled;
  CHECK(has(pageAfter(7), "<p><strong class=bad>Failed, or was killed</strong>. 11 steps."));
  report.job.exit = ExitKind::kNormal;
  CHECK(has(pageAfter(700), "<p><strong>Ended</strong>. 11 steps."));
}

TEST_CASE("the serve page says that ranks exited with an error, and with which signal others ended") {
  Report failed = sampleReport(0);
  failed.job.exit_status = 1;
  CHECK(has(servePage(liveOf({failed}), {}, {}, "out", 0), "Failed, or was killed"));
  CHECK(has(servePage(liveOf({failed}), {}, {}, "out", 0), "rank 0: ended with status 1\n"));
  Report killed = sampleReport(1);
  killed.job.exit = ExitKind::kKilled;
  killed.job.exit_signal = 15;
  CHECK(has(
      servePage(liveOf({failed, killed}), {}, {}, "out", 0), "Failed, or was killed")); // the launcher ended the other
  CHECK(has(servePage(liveOf({failed, killed}), {}, {}, "out", 0), "rank 1: killed after the launcher sent SIGTERM;"));
}

TEST_CASE("the serve page lists disagreements: of a running job only those in order") {
  Report second = sampleReport(1);
  second.collectives.at(0).count += 1;
  CHECK(
      has(servePage(liveOf({sampleReport(0), second}), {}, {}, "out", 0),
          "<p class=bad>Ranks disagree, differences found: 1;"));
  second.job.exit = ExitKind::kRunning;
  CHECK_FALSE(has(servePage(liveOf({sampleReport(0), second}), {}, {}, "out", 0), "disagree"));
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
  const std::string page = servePage(liveOf({sampleReport(0)}), {}, list, "out", 0);
  CHECK(
      has(page, "<td>failed<td class=n>7<td class=n>0 B<td class=n>0 B<td><a href=\"job?run=sample-run&amp;attempt=0"));
  CHECK(has(page, "<td>ended-run<td>python train.py\n"));
  CHECK(page.find("sample-run</a><td>") < page.find("<td>ended-run"));
  CHECK(has(page, "<p>3 older runs: commtap list --all\n"));
  const std::string quiet = servePage({}, {}, list, "out", 0);
  CHECK(has(quiet, "0 running jobs on this node, 0 ended recently."));
  CHECK(has(quiet, "<td>sample-run<td>python train.py\n"));
}

TEST_CASE("the serve page says how many jobs run, and has the newest first, below the runs of the folder") {
  Report older = sampleReport(0);
  older.job.run_id = "an-older-run";
  older.job.started_at_ns -= 1;
  Report running = sampleReport(0);
  running.job.exit = ExitKind::kRunning;
  RunList list;
  list.runs.emplace_back().run_id = "in-the-list";
  const std::string page = servePage(liveOf({older, running}), {}, list, "out", 0);
  CHECK(has(page, "<p>out: 1 running job on this node, 1 ended recently. "));
  CHECK(page.find("in-the-list") < page.find("\">sample-run</a></h2>"));
  CHECK(page.find("\">sample-run</a></h2>") < page.find("\">an-older-run</a></h2>"));
  CHECK(has(servePage({}, {}, {}, "out", 0), "<p>out: 0 running jobs on this node, 0 ended recently. "));
}

TEST_CASE("the serve page says why a job failed, as commtap why does") {
  std::vector<Report> reports = sampleReports(4);
  HangWatch hangs;
  const auto pageOf = [&] {
    const LiveReports live = liveOf(reports);
    hangs.look(lookOf(live.reports, wallClockNs()));
    return servePage(live, hangs, {}, "out", 0);
  };
  CHECK_FALSE(has(pageOf(), "why: "));
  reports[1].job.exit_status = 1;
  CHECK(has(pageOf(), "<p class=bad>why: rank 1 exited with status 1"));
}

} // namespace
} // namespace commtap
