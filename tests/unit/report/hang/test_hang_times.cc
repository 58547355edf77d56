// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_times.h"

#include <csignal>
#include <utility>

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

/// The times of a job's ranks, and what they refer to.
struct TimesOf {
  TimesOf(const HangJob& job, uint64_t seconds_later, JobEnd how_ended = {})
      : sights(job.sights()), clock{job.after(seconds_later), 10}, end(std::move(how_ended)) {}

  std::vector<RankSight> sights;
  HangClock clock;
  JobEnd end;
  HangTimes times{sights, clock, end};
};

TEST_CASE("a job that runs is quiet after its patience, unless a look finds progress") {
  HangJob job = lateJob(2, 1);
  const TimesOf soon(job, 9);
  CHECK(soon.times.isTimed());
  CHECK_FALSE(soon.times.isQuiet());
  CHECK(soon.times.quietS() == doctest::Approx(9));
  const TimesOf late(job, 11);
  CHECK(late.times.isQuiet());
  CHECK(late.times.secondsSince(job.after(1)) == doctest::Approx(10));
  job.look(0).has_moved = true;
  const TimesOf moved(job, 11);
  CHECK_FALSE(moved.times.isQuiet());
  CHECK(moved.times.quietS() == 0);
}

TEST_CASE("the time of a job that was ended stops then; without that time it is not known") {
  HangJob job = lateJob(2, 1);
  job.end(0, ExitKind::kKilled, SIGTERM, 5);
  job.end(1, ExitKind::kKilled, SIGTERM, 6);
  JobEnd end;
  end.alive = {0, 1};
  end.at_ns = job.after(5);
  const TimesOf ended(job, 1000, end);
  CHECK(ended.times.isTimed());
  CHECK(ended.times.quietS() == doctest::Approx(5));
  CHECK_FALSE(ended.times.isQuiet());
  end.at_ns.reset();
  CHECK_FALSE(TimesOf(job, 1000, end).times.isTimed());
}

TEST_CASE("what a rank does while the job is being ended is no progress") {
  HangJob job = lateJob(2, 1);
  job.end(0, ExitKind::kKilled, SIGTERM, 20);
  job.end(1, ExitKind::kKilled, SIGTERM, 20);
  JobEnd end;
  end.alive = {0, 1};
  end.at_ns = job.after(20);
  LastCollective late = job.report(1).last.back();
  late.issued_at_ns = job.after(20) + HangJob::kSecond / 2;
  job.report(1).last.push_back(late);
  CHECK(TimesOf(job, 1000, end).times.quietS() == doctest::Approx(20));
}

TEST_CASE("the waits of a job that is over stop at the last end or event that is known") {
  HangJob job = lateJob(2, 1);
  job.exit(0, 1, 4);
  job.end(1, ExitKind::kKilled, std::nullopt, 0);
  CHECK(TimesOf(job, 1000).times.secondsSince(job.after(1)) == doctest::Approx(3));
}

TEST_CASE("on hosts whose clocks differ, a rank's last event is compared with its own end") {
  constexpr uint64_t kHour = 3600;
  HangJob job = lateJob(2, 1);
  job.report(1).job.host = "there";
  job.end(0, ExitKind::kKilled, SIGTERM, 20);
  job.end(1, ExitKind::kKilled, SIGTERM, 20 + kHour);
  JobEnd end;
  end.alive = {0, 1};
  end.at_ns = job.after(20);
  CHECK(TimesOf(job, 2 * kHour, end).times.quietS() == doctest::Approx(20));
}

TEST_CASE("ranks that all failed by themselves, long after the last event, ended the job together") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.exit(0, 1, 30);
  job.exit(1, 1, 31);
  const TimesOf failed(job, 1000);
  const std::optional<CommonEnd> end = failed.times.commonEnd();
  REQUIRE(end);
  CHECK(end->first == &job.report(0).job);
  CHECK(end->quiet_s == doctest::Approx(30));
  job.exit(1, 0, 31);
  CHECK_FALSE(TimesOf(job, 1000).times.commonEnd());
  job.exit(0, 1, 3);
  job.exit(1, 1, 4);
  CHECK_FALSE(TimesOf(job, 1000).times.commonEnd());
}

} // namespace
} // namespace commtap
