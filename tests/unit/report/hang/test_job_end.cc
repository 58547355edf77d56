// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/job_end.h"

#include <csignal>

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

using Ranks = std::vector<int64_t>;

constexpr uint64_t kPatienceS = 10;

JobEnd endOf(const HangJob& job, uint64_t seconds_later = 60) {
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  return jobEndOf(sights, waitsOf(sights, groups), job.after(seconds_later), kPatienceS * HangJob::kSecond);
}

Ranks aliveIn(const JobEnd& end) {
  return {end.alive.begin(), end.alive.end()};
}

TEST_CASE("ranks that the launcher ended were alive until the first of its signals") {
  HangJob job = lateJob(3, 1);
  CHECK_FALSE(endOf(job).wasEnded());
  job.end(0, ExitKind::kKilled, SIGTERM, 21);
  job.end(1, ExitKind::kKilled, SIGKILL, 50);
  job.end(2, ExitKind::kKilled, SIGTERM, 20);
  const JobEnd end = endOf(job);
  CHECK(aliveIn(end) == Ranks{0, 1, 2});
  CHECK(end.at_ns == job.after(20));
  CHECK(end.signal == SIGTERM);
  CHECK(end.failed.empty());
}

TEST_CASE("a rank that was killed without the launcher while it ended the others was not alive") {
  HangJob job = lateJob(3, 1);
  job.end(0, ExitKind::kKilled, SIGTERM, 20);
  job.end(1, ExitKind::kKilled, std::nullopt, 0);
  job.end(2, ExitKind::kKilled, SIGTERM, 20);
  CHECK(aliveIn(endOf(job)) == Ranks{0, 2});
}

TEST_CASE("a rank that its launcher found ended by a signal has failed, unless the signal asks for an end") {
  HangJob job = lateJob(3, 1);
  job.end(0, ExitKind::kKilled, SIGTERM, 20);
  job.end(2, ExitKind::kKilled, SIGTERM, 20);
  job.end(1, ExitKind::kSignal, SIGKILL, 0);
  CHECK(endOf(job).failed == Ranks{1});
  CHECK(aliveIn(endOf(job)) == Ranks{0, 2});
  job.end(1, ExitKind::kSignal, SIGTERM, 0);
  CHECK(aliveIn(endOf(job)) == Ranks{0, 1, 2});
}

TEST_CASE("ranks that were all killed were alive, and when is not known") {
  HangJob job = lateJob(3, 1);
  for (const int64_t rank : {0, 1, 2}) {
    job.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  const JobEnd end = endOf(job);
  CHECK(aliveIn(end) == Ranks{0, 1, 2});
  CHECK_FALSE(end.at_ns);
  CHECK_FALSE(end.signal);
}

TEST_CASE("a rank that was ended after its work has finished") {
  HangJob job = lateJob(2, 1);
  job.end(0, ExitKind::kAfterWork, SIGTERM, 20);
  job.end(1, ExitKind::kAfterWork, std::nullopt, 0);
  CHECK(hasFinished(job.report(0).job));
  CHECK(aliveIn(endOf(job)).empty());
  CHECK(endOf(job).failed.empty());
}

TEST_CASE("a rank that ends by itself after its launcher's signal began to end with the signal") {
  HangJob job = lateJob(3, 1);
  for (const int64_t rank : {0, 1, 2}) {
    job.exit(rank, rank == 1 ? 0 : 1, 300); // it saved a checkpoint
    job.report(rank).job.signal_sent_at_ns = job.after(5);
  }
  const JobEnd end = endOf(job);
  CHECK(aliveIn(end) == Ranks{0, 1, 2});
  CHECK(end.at_ns == job.after(5));
  CHECK(end.failed.empty());
  CHECK(endBeganNs(job.report(1)) == job.after(5));
  for (const int64_t rank : {0, 1, 2}) { // it went on for long after the signal
    job.report(rank).last.back().issued_at_ns = job.after(200);
  }
  CHECK(endBeganNs(job.report(1)) == job.after(300));
  CHECK(endOf(job).at_ns == job.after(300));
}

TEST_CASE("a rank that is killed while others end by themselves was not killed with the job") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.exit(0, 0, 5);
  job.exit(1, 0, 5);
  job.end(2, ExitKind::kKilled, std::nullopt, 0);
  CHECK_FALSE(endOf(job).wasEnded());
  job.issue(2, Kind::kAllReduce, "Net.b"); // it waits for those that have ended
  CHECK(aliveIn(endOf(job)) == Ranks{2});
}

TEST_CASE("a rank that still runs after its launcher's signal has not ended") {
  HangJob job = lateJob(2, 1);
  job.end(0, ExitKind::kKilled, SIGTERM, 5);
  job.report(1).job.signal_sent_at_ns = job.after(5);
  CHECK(aliveIn(endOf(job)) == Ranks{0});
  CHECK_FALSE(endBeganNs(job.report(1)));
}

TEST_CASE("a rank that asks itself to end, or exits with the status of that, was alive") {
  HangJob job = lateJob(3, 1);
  job.end(0, ExitKind::kSignal, SIGINT, 20);
  job.exit(1, 128 + SIGTERM, 21);
  job.exit(2, 1, 22); // it lost its peers
  const JobEnd end = endOf(job);
  CHECK(aliveIn(end) == Ranks{0, 1, 2});
  CHECK(end.failed.empty());
  CHECK(end.signal == SIGINT);
}

TEST_CASE("a rank that fails after a long wait gave up, one that fails before has failed") {
  HangJob job = lateJob(3, 1);
  job.end(0, ExitKind::kSignal, SIGABRT, 30);
  job.end(1, ExitKind::kKilled, SIGTERM, 31);
  job.end(2, ExitKind::kKilled, SIGTERM, 31);
  const JobEnd gave_up = endOf(job);
  CHECK(gave_up.gave_up == Ranks{0});
  CHECK(aliveIn(gave_up) == Ranks{0, 1, 2});
  CHECK(gave_up.at_ns == job.after(30));
  CHECK(gave_up.signal == SIGABRT);
  job.exit(1, 1, 5);
  job.end(0, ExitKind::kKilled, SIGTERM, 6);
  const JobEnd failed = endOf(job);
  CHECK(failed.failed == Ranks{1});
  CHECK(aliveIn(failed) == Ranks{0, 2});
  CHECK(failed.at_ns == job.after(6));
}

TEST_CASE("a rank that breaks off a short wait has failed, unless the rank that it waited for was dead") {
  HangJob job = lateJob(3, 1);
  job.exit(0, 1, 5);
  job.end(1, ExitKind::kKilled, SIGTERM, 6);
  job.end(2, ExitKind::kKilled, SIGTERM, 6);
  CHECK(endOf(job).failed == Ranks{0});
  job.end(1, ExitKind::kKilled, std::nullopt, 0);
  CHECK(endOf(job).failed.empty());
  CHECK(aliveIn(endOf(job)) == Ranks{2});
}

TEST_CASE("if no signal is known, the rank that others broke off for was killed before them") {
  HangJob job = lateJob(3, 1);
  job.exit(0, 1, 5);
  job.end(1, ExitKind::kKilled, std::nullopt, 0);
  job.exit(2, 1, 5);
  CHECK_FALSE(endOf(job).wasEnded());
}

TEST_CASE("a job whose other ranks run on is being ended for a while only") {
  HangJob job = lateJob(3, 1);
  job.end(1, ExitKind::kKilled, SIGTERM, 20);
  CHECK(aliveIn(endOf(job, 20 + kPatienceS)) == Ranks{1});
  CHECK(aliveIn(endOf(job, 79)) == Ranks{1});
  CHECK_FALSE(endOf(job, 80).wasEnded());
}

TEST_CASE("a job that ended by itself was not ended") {
  HangJob job = lateJob(3, 1);
  for (const int64_t rank : {0, 1, 2}) {
    job.exit(rank, 0, 5);
  }
  CHECK_FALSE(endOf(job).wasEnded());
  CHECK(hasFinished(job.report(0).job));
  job.exit(1, 3, 5);
  CHECK_FALSE(hasFinished(job.report(1).job));
  CHECK(endOf(job).failed == Ranks{1});
}

} // namespace
} // namespace commtap
