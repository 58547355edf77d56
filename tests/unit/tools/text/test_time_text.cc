// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

std::string timeTextOf(const SampleRun& folder, const std::string& module = "", bool total = false) {
  const ShowView view = viewOf(folder, {.time = true});
  return timeText({view.group_times, view.module_times, view.job, module, total}, Color::none());
}

TEST_CASE("a run without timing says how to turn it on") {
  const SampleRun folder = sampleFolder();
  CHECK(timeTextOf(folder) == "no durations were measured: run the job with COMMTAP_TIMING=host\n");
}

TEST_CASE("the tables have means, maxima, bandwidths and stragglers") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < folder.files.size(); ++i) {
    Collective& row = folder.files[i].report.collectives[0];
    row.kind = Kind::kAllReduce;
    const uint64_t running_ns = i == 0 ? 9'000'000 : 3'000'000;
    row.time.durations = {
        Durations{2, 4000, 1000, 3000, {}}, {2, running_ns, 1'000'000, running_ns, {}}, {1, 500'000, 1, 500'000, {}}};
    row.time.bytes = 1U << 20U;
    row.time.bus_bytes = 1U << 21U;
  }
  const std::string text = timeTextOf(folder);
  for (const char* part :
       {"2.00 us", "3.00 ms", "9.00 ms", "500 us", "167 MiB/s", "333 MiB/s", "3.00 ms (rank 2)", "Time by module"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in\n" << text);
  }
}

/// Returns a run of two ranks in which net2 stands still for 6 ms of each step, of 20 ms, for a row of net1.
SampleRun stallingRun() {
  constexpr uint64_t kMs = 1'000'000;
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < folder.files.size(); ++i) {
    Report& report = folder.files[i].report;
    report.collectives.resize(1);
    Collective& row = report.collectives[0];
    row.module = row.issued_in = "Net.net1";
    row.kind = Kind::kAllReduce;
    row.setup = false;
    row.count = 4;
    const uint64_t running_ns = i == 0 ? 30 * kMs : 10 * kMs;
    const uint64_t exposed_ns = 12 * kMs;
    row.time.durations = {
        Durations(), Durations{4, running_ns, 1, running_ns, {}}, Durations{4, exposed_ns, 1, exposed_ns, {}}};
    row.time.stalled_in = {{{"Net.net2", Phase::kForward}, {4, exposed_ns}}};
    report.steps.clear();
    for (uint64_t step = 0; step < 2; ++step) {
      report.steps.push_back({step, 1, 1 + step * 20 * kMs, 1 + (step + 1) * 20 * kMs, 1, 1, {}});
      report.steps.back().collectives = {{Kind::kAllReduce, row.group, 2, 8, 0, exposed_ns / 2}};
    }
  }
  return folder;
}

TEST_CASE("exposed time is per rank and step, and a share of the step, by the module that stood still") {
  const std::string text = timeTextOf(stallingRun());
  for (const char* part :
       {"EXPOSED: per rank and step, without set-up",
        "OF STEP: the share of a step of 20.0 ms, the mean of all that have ended; each: --steps",
        "6.00 ms",
        "30.0 %",
        "Where the job stood still",
        "all_reduce of Net.net1"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in\n" << text);
  }
  const std::string total = timeTextOf(stallingRun(), "", true);
  CHECK(total.find("24.0 ms") != std::string::npos);
  CHECK(total.find("30.0 %") == std::string::npos);
}

TEST_CASE("what ranks that leave together waited for is split into late ranks and the network") {
  const std::string text = timeTextOf(stallingRun()); // of 12 ms on the first rank, the network needed at most 10
  CHECK_MESSAGE(text.find("at least 8.3 % waits for ranks that came later\n") != std::string::npos, text);
}

TEST_CASE("a rank that others waited for in a timed run is named, with the module, and none of a run without times") {
  const ShowView view = viewOf(stallingRun(), {.time = true});
  JobReport job = view.job;
  job.module_times = view.module_times;
  const std::vector<std::string> lines = lateLines(job);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find(" comes late: 10.0 ms of each step (20.0 ms), most at Net.net1") != std::string::npos);
  job.module_times.clear();
  CHECK(lateLines(job).empty());
}

TEST_CASE("a pattern of modules selects those for which it is communicated, and those that stood still") {
  CHECK(timeTextOf(stallingRun(), "Net.net1").find("Net.net2") == std::string::npos);
  CHECK(timeTextOf(stallingRun(), "Net.net2").find("Net.net2") != std::string::npos);
}

TEST_CASE("without a time of every call there is no share of a step") {
  SampleRun folder = stallingRun();
  folder.files[0].report.collectives[0].count = 40;
  CHECK(timeTextOf(folder).find("30.0 %") == std::string::npos);
}

/// Returns steps of two ranks. The slowest takes `ms` per step.
JobStep stepOf(uint64_t first_step, uint64_t steps, uint64_t ms) {
  JobStep step;
  step.first_step = first_step;
  step.steps = steps;
  step.ranks = step.timed_ranks = 2;
  const uint64_t longest = steps * ms * 1'000'000;
  step.duration_ns = {longest / 2 + longest, longest / 2, longest, 1, 0};
  return step;
}

TEST_CASE("the time of a step is the mean of its ranks, then the shortest and the longest with their ranks") {
  CHECK(stepTimeCells(stepOf(3, 4, 40)) == std::vector<std::string>{"30.0 ms", "20.0 ms (1)", "40.0 ms (0)"});
  JobStep running;
  running.ranks = 2;
  CHECK(stepTimeCells(running) == std::vector<std::string>{"", "", ""});
}

TEST_CASE("step spread is the median, the range of four in five, and the slowest, without the warm-up") {
  std::vector<JobStep> steps = {stepOf(0, 1, 9000), stepOf(1, 1, 500)};
  for (uint64_t step = 2; step < 12; ++step) {
    steps.push_back(stepOf(step, 1, step * 10)); // 20 ms to 110 ms
  }
  CHECK(
      stepSpreadText(steps) ==
      "step times of the slowest rank, over 10 steps after the first 2: median 60.0 ms, 20.0 ms to 100 ms for four of "
      "five, slowest 110 ms (step 11)\n");
}

TEST_CASE("merged steps count as many in the step spread") {
  const std::string text = stepSpreadText({stepOf(2, 98, 10), stepOf(100, 1, 50), stepOf(101, 1, 60)});
  CHECK(text.find("over 100 steps after") != std::string::npos);
  CHECK(text.find("10.0 ms to 10.0 ms") != std::string::npos);
  CHECK(text.find("slowest 60.0 ms (step 101)") != std::string::npos);
}

TEST_CASE("a step that a rank has not completed is not in the step spread") {
  std::vector<JobStep> steps = {stepOf(2, 98, 10), stepOf(100, 1, 50), stepOf(101, 1, 60)};
  steps[2].timed_ranks = 1;
  CHECK(stepSpreadText(steps).find("slowest 50.0 ms (step 100)") != std::string::npos);
}

TEST_CASE("too few steps give no step spread") {
  CHECK(stepSpreadText({}).empty());
  std::vector<JobStep> steps;
  for (uint64_t step = 0; step < 6; ++step) {
    steps.push_back(stepOf(step, 1, step + 1));
  }
  CHECK(stepSpreadText(steps).empty());
  CHECK(stepSpreadText({stepOf(2, 1000, 10)}).empty());
}

} // namespace

} // namespace commtap
