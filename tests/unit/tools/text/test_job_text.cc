// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

/// Returns a job of two ranks with one row in set-up and one that is not.
JobReport jobWithSetup(uint64_t steps) {
  JobReport job;
  job.ranks = {{0, 1}};
  for (const bool setup : {true, false}) {
    JobCollective row;
    row.setup = setup;
    row.amount.count.sum = 10;
    row.amount.bytes.sum = 4096;
    job.collectives.push_back(row);
  }
  if (steps > 0) {
    job.steps.push_back(
        {.first_step = 0, .steps = steps, .ranks = 2, .timed_ranks = 2, .duration_ns = {}, .collectives = {}});
  }
  return job;
}

TEST_CASE("means are per rank and step, set-up is per rank") {
  const JobReport job = jobWithSetup(5);
  const Means means(job);
  Mean mean;
  means.add(job.collectives[1], mean);
  CHECK(mean.calls == 1);
  CHECK(unitText(means) == "Per rank and step: all but set-up, divided by 2 ranks and 5 steps");
  CHECK(setupText(job, means) == "set-up, before the first forward: 5 calls and 2.00 KiB per rank");
}

TEST_CASE("the only step may be a loop of which no step was seen to end") {
  JobReport job = jobWithSetup(1);
  CHECK(unitText(Means(job)) == "Per rank and step: all but set-up, divided by 2 ranks and 1 step");
  job.steps[0].timed_ranks = 0;
  job.steps[0].training_steps = 1;
  CHECK(
      unitText(Means(job)) ==
      "Per rank and step: all but set-up, divided by 2 ranks and 1 step; none was seen to end (show --steps says why)");
}

TEST_CASE("means say what else than whole steps is in them") {
  JobReport job = jobWithSetup(5);
  JobStep outside;
  outside.first_step = 5;
  outside.collectives.emplace_back().count.sum = 11;
  job.outside_steps.push_back(outside);
  CHECK(unitText(Means(job)).ends_with("and 5 steps; among them calls outside of steps, as of an evaluation"));
  job.processes.emplace_back().exit = ExitKind::kKilled;
  CHECK(unitText(Means(job)).ends_with("and 5 steps; among them calls outside of steps, as of one unfinished"));
}

TEST_CASE("means of a job without steps are per rank") {
  const JobReport job = jobWithSetup(0);
  const Means means(job);
  Mean mean;
  means.add(job.collectives[1], mean);
  CHECK(mean.bytes == 2048);
  CHECK(unitText(means) == "Per rank: the mean of 2 ranks; the run has no training steps");
  CHECK(setupText(JobReport(), Means(JobReport())).empty());
}

std::string headerOf(const std::vector<Report>& reports, Scope scope = Scope::kRun) {
  return headerText(jobOf(reports), scope, Color::none());
}

TEST_CASE("the header of a complete run has two lines") {
  CHECK(
      headerOf({sampleReport(0), sampleReport(1), sampleReport(2), sampleReport(3)}) ==
      "run sample-run, started 2027-01-15T08:00:00Z (2.00 s), torch 2.13.0\nsum over 4 of 4 ranks: 0-3\n");
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
  CHECK(text.find("1 other run left out (commtap list, --run ID)\n") != std::string::npos);
}

TEST_CASE("the header says that processes of a rank are added up, and whether they followed each other") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(0), sampleReport(0), sampleReport(1)};
  const auto isSaid = [&reports](const std::string& how) {
    return has(headerText(jobOf(reports), Scope::kRun, Color::none()), how + ": the numbers, also those per step, are");
  };
  const std::string in_turn = "3 processes of a rank are added up, as in a sweep";
  for (uint64_t i = 0; i < 3; ++i) {
    reports[i].job.pid = i;
    reports[i].job.ended_at_ns = reports[i].job.started_at_ns + 100'000'000'000;
  }
  CHECK(isSaid("3 processes of a rank ran at the same time and are added up"));
  reports[2].collectives.clear(); // as of a process that only loads data
  reports[2].last.clear();
  CHECK(isSaid("2 processes of a rank ran at the same time and are added up"));
  for (uint64_t i = 0; i < 3; ++i) {
    reports[i].job.started_at_ns += i * 200'000'000'000;
    reports[i].job.ended_at_ns = reports[i].job.started_at_ns + 100'000'000'000;
    reports[i].last.clear();
    reports[i].steps.clear();
  }
  CHECK(isSaid(in_turn));
  reports[2].job.started_at_ns = reports[1].job.started_at_ns; // two of them at the same time
  CHECK(isSaid(in_turn));
}

TEST_CASE("an unknown world size or group size is shown as unknown") {
  Report report = sampleReport(0);
  report.job.world_size = std::nullopt;
  CHECK(headerOf({report}).find("sum over 1 of an unknown number ranks") != std::string::npos);
  CHECK(sizeText(0) == "?");
  CHECK(sizeText(4) == "4");
}

TEST_CASE("rows of one name are distinguished by what differs, and others are not") {
  JobCollective plain;
  plain.module = plain.issued_in = "Net";
  plain.op = "c10d.allreduce_";
  plain.dtype = "float32";
  JobCollective other = plain;
  other.dtype = "bfloat16\n";
  JobCollective ahead = plain;
  ahead.issued_in = "Next";
  ahead.async_op = AsyncOp::kYes;
  ahead.compiled = true;
  const std::vector<const JobCollective*> rows = {&plain, &other, &ahead, &plain};
  const std::vector<std::string> names = {"Net", "Net", "Net", "Else"};
  CHECK(
      distinctionsOf(rows, names) ==
      std::vector<std::string>{", float32", ", bfloat16\\x0a", ", float32, async, issued in Next, compiled", ""});
}

TEST_CASE("the share of an advice is that of its rows, without set-up") {
  JobReport job = sampleJob();
  job.collectives.resize(2);
  job.collectives[0].amount.bytes.sum = 300;
  job.collectives[1].amount.bytes.sum = 100;
  job.collectives[1].setup = false;
  Advice advice = {.rule = adviceRules().data(), .group = "", .bytes = 1, .rows = {&job.collectives[0]}};
  job.collectives[0].setup = false;
  CHECK(adviceShareText(advice, job) == "; its rows have 75.0 % of the bytes");
  job.collectives[0].setup = true;
  CHECK(adviceShareText(advice, job).empty());
  advice.rows.push_back(&job.collectives[1]);
  CHECK(adviceShareText(advice, job) == "; its rows have 100 % of the bytes");
  advice.bytes = 0;
  CHECK(adviceShareText(advice, job).empty());
  advice.rows.pop_back();
  job.collectives[0].setup = false;
  job.collectives[0].amount.bytes.sum = 1; // a number
  advice.bytes = advice.calls = 1;
  CHECK(has(adviceShareText(advice, job), " % of the calls"));
  job.collectives[0].setup = true;
  advice.rows.push_back(&job.collectives[1]);
  advice.bytes = 0;
  CHECK(adviceShareText(advice, job) == "; its rows have 100 % of the calls");
}

TEST_CASE("an advice to keep what is communicated again says what that takes") {
  Advice advice = {.rule = adviceRules().data(), .group = "", .rows = {}};
  CHECK(adviceMemoryText(advice).empty());
  advice.memory_bytes = 2048;
  CHECK(adviceMemoryText(advice) == "; keeping it takes about 2.00 KiB per rank");
}

TEST_CASE("the line names the first rule, how many more there are, and the command with the job") {
  CHECK(adviceLine({}, "", "out").empty());
  const Advice first = {.rule = adviceRules().data(), .group = "", .rows = {}};
  CHECK(adviceLine({first}, "", "out") == "advice: " + std::string(first.rule->name) + ": commtap advise out\n");
  JobReport job;
  job.run_id = "r 1";
  CHECK(placeOf(job, "my out") == "'my out'");
  job.other_runs = 2;
  CHECK(
      adviceLine({first, first, first}, " (4 B)", placeOf(job, "my out")) ==
      "advice: " + std::string(first.rule->name) + " (4 B) and 2 more: commtap advise 'my out' --run 'r 1'\n");
}

TEST_CASE("a group without a description is named by its ranks if they are the same for all") {
  JobGroup group{.name = "3", .size = 2, .members = {{0, 1}}};
  CHECK(groupLabel(group) == "3 [0-1]");
  group.members.push_back({2, 3});
  CHECK(groupLabel(group) == "3");
  group = {.name = "dp\n", .desc = "dp", .size = 2, .members = {{0, 1}}};
  CHECK(groupLabel(group) == "dp\\x0a");
}

} // namespace

} // namespace commtap
