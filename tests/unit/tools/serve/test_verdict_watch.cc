// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/verdict_watch.h"

#include <memory>

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/samples.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

/// Two ranks of the sample job, `seconds` after its last collective; of rank 1's process there is only a report if it
/// was killed.
JobLook lookAfter(uint64_t seconds, bool killed) {
  JobLook look;
  uint64_t last_ns = 0;
  for (const int64_t rank : {0, 1}) {
    auto report = std::make_shared<Report>(sampleReport(rank));
    report->job.exit = ExitKind::kRunning;
    report->job.ended_at_ns.reset();
    if (rank == 1 && killed) {
      report->job.exit = ExitKind::kKilled;
    }
    report->groups.front().collectives += rank == 0 ? 1 : 0;
    LastCollective call = report->last.back();
    call.group = report->groups.front().name;
    call.sequence = report->groups.front().collectives;
    call.kind = Kind::kAllReduce;
    call.state = LastState::kIssued;
    call.completed_at_ns.reset();
    report->last.back() = call;
    last_ns = std::max(last_ns, call.issued_at_ns);
    look.processes.push_back(seenProcess(report, rank == 0 ? std::optional(ProcessSample{'S', 5}) : std::nullopt));
  }
  look.at_ns = last_ns + seconds * kSecond;
  look.has_all_hosts = false;
  return look;
}

std::string textOf(const HangWatch& watch) {
  Exposition exposition;
  watch.addTo(exposition);
  return exposition.text(Dialect::kPrometheus);
}

TEST_CASE("a killed rank is the cause, reported once, in a line and as metrics") {
  HangWatch watch;
  CHECK(watch.look(lookAfter(1, false)).empty());
  CHECK(has(textOf(watch), "commtap_hang_status{run_id=\"sample-run\",attempt=\"0\",status=\"healthy\"} 1\n"));
  CHECK_FALSE(has(textOf(watch), "commtap_hang_cause_info{"));
  const std::vector<std::string> lines = watch.look(lookAfter(100, true));
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], "run sample-run attempt 0 is failed: "));
  const std::string text = textOf(watch);
  CHECK(has(text, "commtap_hang_status{run_id=\"sample-run\",attempt=\"0\",status=\"failed\"} 1\n"));
  CHECK(has(text, "commtap_hang_status{run_id=\"sample-run\",attempt=\"0\",status=\"healthy\"} 0\n"));
  CHECK(has(text, "commtap_hang_cause_info{run_id=\"sample-run\",attempt=\"0\",rank=\"1\",reason=\"killed\""));
  CHECK(watch.look(lookAfter(110, true)).empty());
}

TEST_CASE("a job that is gone has no verdict") {
  HangWatch watch;
  watch.look(lookAfter(1, false));
  watch.look(JobLook());
  CHECK(textOf(watch).empty());
}

LiveReports liveJob() {
  LiveReports live;
  live.reports.push_back(std::make_shared<Report>(sampleReport(0)));
  return live;
}

/// Writes the samples of two ranks of the sample job, of which rank 1 is overwritten after the first step.
void writeSteps(const TempFolder& folder, uint64_t steps) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (ProcessSamples& process : job.processes()) {
    process.job.run_id = sampleReport(0).job.run_id;
    process.job.attempt = sampleReport(0).job.attempt;
  }
  for (uint64_t step = 1; step <= steps; ++step) {
    job.gradient("Net.w", static_cast<uint32_t>(step));
    job.step(step);
    job.at(1, "Net.w").value = noise(7);
  }
  job.write(folder.path());
}

std::string textOf(const VerifyWatch& watch) {
  Exposition exposition;
  watch.addTo(exposition);
  return exposition.text(Dialect::kPrometheus);
}

TEST_CASE("a job whose samples become wrong is reported once, in a line and as a metric") {
  const TempFolder folder;
  VerifyWatch watch(folder.path());
  CHECK(watch.look(liveJob()).empty());
  CHECK(textOf(watch).find("commtap_verify_status") == std::string::npos);
  writeSteps(folder, 1);
  CHECK(watch.look(liveJob()).empty());
  CHECK(textOf(watch).find("status=\"ok\"} 1\n") != std::string::npos);
  writeSteps(folder, 2);
  const std::vector<std::string> lines = watch.look(liveJob());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("run sample-run attempt 0: WRONG: "));
  CHECK(textOf(watch).find("status=\"wrong\"} 1\n") != std::string::npos);
  CHECK(textOf(watch).find("status=\"ok\"} 0\n") != std::string::npos);
  CHECK(watch.look(liveJob()).empty());
  const Verification* verdict = watch.verdictOf({"sample-run", 0});
  REQUIRE(verdict != nullptr);
  CHECK(verdict->findings.size() == 1);
  CHECK(watch.verdictOf({"sample-run", 1}) == nullptr);
  CHECK(watch.look({}).empty());
  CHECK(watch.verdictOf({"sample-run", 0}) == nullptr);
  CHECK(textOf(watch).find("commtap_verify_status") == std::string::npos);
}

} // namespace

} // namespace commtap
