// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/calls_until_end.h"

#include <csignal>

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

constexpr uint64_t kPatienceNs = 10 * HangJob::kSecond;

/// Returns how many calls a rank has made until the job's end.
size_t callsOf(const HangJob& job, size_t rank) {
  const std::vector<RankSight> sights = job.sights();
  const CallsUntilEnd until_end(sights, kPatienceNs);
  const Report& report = *until_end.sights()[rank].report;
  CHECK(report.groups[0].collectives == report.last.size());
  return report.last.size();
}

/// Returns a job of two ranks: rank 0 fails in its second call, and rank 1 comes to it then.
HangJob comesLate(uint64_t waited_s, uint64_t later_s) {
  HangJob job = lateJob(2, 1);
  job.exit(0, 1, waited_s);
  LastCollective& late = job.issue(1, Kind::kAllReduce, "Net.b");
  late.issued_at_ns = *job.report(0).job.ended_at_ns + later_s * HangJob::kSecond;
  job.exit(1, 1, waited_s + later_s + 1);
  return job;
}

TEST_CASE("a call is not of the job that a rank made after another one gave it up") {
  CHECK(callsOf(comesLate(30, 5), 1) == 1);
  CHECK(callsOf(comesLate(30, 5), 0) == 2);
}

TEST_CASE("a rank that failed without a long wait gave nothing up") {
  CHECK(callsOf(comesLate(1, 5), 1) == 2);
}

TEST_CASE("a rank that runs has made the call") {
  HangJob job = comesLate(30, 5);
  job.report(1).job.exit = ExitKind::kRunning;
  CHECK(callsOf(job, 1) == 2);
}

TEST_CASE("clocks of two hosts may be a second apart") {
  HangJob job = comesLate(30, 0);
  job.report(1).last.back().issued_at_ns += HangJob::kSecond / 2;
  CHECK(callsOf(job, 1) == 1);
  job.report(1).job.host = "other";
  CHECK(callsOf(job, 1) == 2);
}

TEST_CASE("what a rank did after its launcher's signal is not of the job, unless it went on for long") {
  HangJob job = lateJob(2, 1);
  Job& facts = job.report(0).job;
  facts.signal_sent_at_ns = job.report(0).last.back().issued_at_ns - 1;
  job.exit(0, 0, 20);
  CHECK(callsOf(job, 0) == 1);
  job.exit(0, 0, 100);
  CHECK(callsOf(job, 0) == 2);
}

} // namespace
} // namespace commtap
