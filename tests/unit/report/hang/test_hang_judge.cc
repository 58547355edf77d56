// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_judge.h"

#include <csignal>

#include <doctest/doctest.h>

#include "report/model/stretches.h"
#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

constexpr double kPatience = 10;

Verdict judged(const HangJob& job, uint64_t seconds_later = 60, bool has_all_hosts = true) {
  const std::vector<RankSight> sights = job.sights();
  return judge(sights, {job.after(seconds_later), kPatience, has_all_hosts});
}

const HangRank& rankOf(const Verdict& verdict, int64_t rank) {
  const auto found = std::find_if(
      verdict.ranks.begin(), verdict.ranks.end(), [rank](const HangRank& each) { return each.rank == rank; });
  REQUIRE(found != verdict.ranks.end());
  return *found;
}

void checkIsRank2(const Verdict& verdict, HangReason reason, std::optional<HangStatus> status = std::nullopt) {
  if (status) {
    CHECK(verdict.status == *status);
  }
  CHECK(verdict.reason == reason);
  CHECK(verdict.cause == RankRanges{{2, 2}});
  REQUIRE(verdict.call);
  CHECK(verdict.call->sequence == 2);
  CHECK(verdict.call->module == "Net.b");
  CHECK(verdict.call->group == "world");
  CHECK(verdict.call->members == RankRanges{{0, 3}});
  CHECK(rankOf(verdict, 0).role == RankRole::kVictim);
  CHECK(rankOf(verdict, 0).waits_for == RankRanges{{2, 2}});
}

void checkVerdict(const Verdict& verdict, HangStatus status, HangReason reason, const RankRanges& cause) {
  CHECK(verdict.status == status);
  CHECK(verdict.reason == reason);
  CHECK(verdict.cause == cause);
}

TEST_CASE("a rank that sleeps outside of communication is the cause, once the job is quiet") {
  const HangJob job = lateJob(4, 2);
  const Verdict verdict = judged(job);
  checkIsRank2(verdict, HangReason::kBlocked, HangStatus::kStuck);
  CHECK(rankOf(verdict, 2).state == RankState::kBlocked);
  CHECK(rankOf(verdict, 2).call->module == "Net.a");
  CHECK(verdict.waits_s == doctest::Approx(62));
  CHECK(judged(job, 5).status == HangStatus::kHealthy);
}

TEST_CASE("a rank that is in a call to NCCL is the cause, and not blocked outside of communication") {
  HangJob job = lateJob(4, 2);
  job.report(2).open_calls = {{"ncclGroupEnd", "", job.after(10)}, {"ncclCommAbort", "", job.after(20)}};
  const Verdict verdict = judged(job);
  checkIsRank2(verdict, HangReason::kInNccl, HangStatus::kStuck);
  CHECK(rankOf(verdict, 2).state == RankState::kWaits);
  CHECK(rankOf(verdict, 2).open_call == "ncclGroupEnd");
  CHECK(rankOf(verdict, 2).open_since_ns == job.after(10));
  CHECK(rankOf(verdict, 2).open_s == doctest::Approx(50));
  CHECK(rankOf(verdict, 0).open_call.empty());
  job.report(2).job.exit = ExitKind::kKilled;
  CHECK(judged(job).reason == HangReason::kKilled);
  CHECK(rankOf(judged(job), 2).open_call == "ncclGroupEnd");
  CHECK(rankOf(judged(job), 2).open_s == 0);
}

TEST_CASE("ranks in the call that makes a group are the cause, whether a rank waits for them or none does") {
  HangJob job = lateJob(4, 2);
  job.report(2).open_calls = {{"new_group of ranks 2-3", "", job.after(10)}};
  checkIsRank2(judged(job), HangReason::kMakingGroup, HangStatus::kStuck);
  job.report(1).open_calls = {{"new_group of ranks 0-1", "", job.after(20)}};
  checkVerdict(judged(job), HangStatus::kStuck, HangReason::kMakingGroup, {{1, 2}});

  HangJob idle(4);
  idle.report(0).open_calls = {{"new_group of ranks 0-1", "", idle.after(10)}};
  idle.report(3).open_calls = {{"split_group", "", idle.after(20)}};
  const Verdict verdict = judged(idle);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kMakingGroup, {{0, 0}, {3, 3}});
  CHECK(verdict.since_ns == idle.after(10));
  CHECK(rankOf(verdict, 3).open_call == "split_group");
  CHECK(judged(idle, 5).status == HangStatus::kHealthy);
  idle.report(0).job.exit = ExitKind::kNormal; // an exception ended its call
  CHECK(judged(idle).cause == RankRanges{{3, 3}});
}

TEST_CASE("a rank that makes progress is no hang, one that only computes is unknown") {
  HangJob job = lateJob(4, 2);
  job.look(2).cpu_share = 0.9;
  const Verdict computing = judged(job);
  checkIsRank2(computing, HangReason::kComputing, HangStatus::kUnknown);
  CHECK(judged(job, 5).status == HangStatus::kHealthy);
  job.look(2).has_moved = true;
  CHECK(judged(job).status == HangStatus::kHealthy);
}

TEST_CASE("a stopped rank is the cause, also if it waits itself") {
  HangJob job = lateJob(4, 2);
  job.look(2).is_stopped = true;
  checkIsRank2(judged(job), HangReason::kStopped);
  HangJob waits(2);
  waits.issue(0, Kind::kAllReduce, "Net.a");
  waits.addGroup("other", {0, 1});
  waits.issue(1, Kind::kAllReduce, "Net.b", "other");
  waits.look(1).is_stopped = true;
  const Verdict verdict = judged(waits);
  CHECK(verdict.reason == HangReason::kStopped);
  CHECK(verdict.cause == RankRanges{{1, 1}});
}

TEST_CASE("a dead rank is the cause without delay") {
  HangJob job = lateJob(4, 2);
  job.report(2).job.exit = ExitKind::kKilled;
  const Verdict killed = judged(job, 2);
  checkIsRank2(killed, HangReason::kKilled, HangStatus::kFailed);
  CHECK(judged(job).status == HangStatus::kStuck); // the others still wait after --after
  job.report(2).job.exit = ExitKind::kNormal;
  const Verdict exited = judged(job, 2);
  checkIsRank2(exited, HangReason::kExited, HangStatus::kStuck);
}

TEST_CASE("a rank without a report never came, or runs elsewhere") {
  HangJob job = lateJob(4, 2);
  job.remove(2);
  HangJob absent(3);
  absent.issue(0, Kind::kBarrier, "Global");
  absent.issue(2, Kind::kBarrier, "Global");
  absent.remove(1);
  const Verdict verdict = judged(absent);
  CHECK(verdict.reason == HangReason::kNeverCame);
  CHECK(verdict.cause == RankRanges{{1, 1}});
  CHECK(verdict.inferred);
  CHECK(rankOf(verdict, 1).state == RankState::kNeverCame);
  const Verdict partial = judged(absent, 60, /*has_all_hosts=*/false);
  CHECK(partial.reason == HangReason::kElsewhere);
}

TEST_CASE("victims of victims lead to the cause, over groups") {
  HangJob job(4);
  job.addGroup("tp", {0, 1});
  job.addGroup("dp", {1, 2});
  job.addGroup("pp", {2, 3});
  job.issue(0, Kind::kAllReduce, "Net.tp", "tp");
  job.issue(1, Kind::kAllGather, "Net.dp", "dp");
  job.message(2, Kind::kRecv, 1, "pp");
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kBlocked, {{3, 3}});
  CHECK(verdict.call->kind == Kind::kRecv);
  CHECK(verdict.call->peer == 3);
  for (const int64_t victim : {0, 1, 2}) {
    CHECK(rankOf(verdict, victim).role == RankRole::kVictim);
  }
}

TEST_CASE("ranks that wait for each other are a cycle") {
  HangJob job(3);
  job.addGroup("a", {0, 1});
  job.addGroup("b", {0, 1});
  job.addGroup("c", {1, 2});
  job.issue(0, Kind::kAllReduce, "Net.a", "a");
  job.issue(1, Kind::kAllReduce, "Net.b", "b");
  job.issue(2, Kind::kAllReduce, "Net.c", "c");
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kCycle, {{0, 1}});
  REQUIRE(verdict.calls.size() == 2);
  CHECK(verdict.calls[0].group == "a");
  CHECK(verdict.calls[1].group == "b");
  CHECK(rankOf(verdict, 2).role == RankRole::kVictim);
}

TEST_CASE("the ranks of a cycle that left out a call in an earlier step are the cause, and its victims are not") {
  HangJob job(4);
  job.addGroup("tp01", {0, 1});
  job.addGroup("tp23", {2, 3});
  job.addGroup("dp02", {0, 2});
  job.addGroup("dp13", {1, 3});
  for (int step = 0; step < 8; ++step) {
    for (const int64_t rank : {0, 1, 2, 3}) {
      job.issue(rank, Kind::kAllReduce, "Net.attn", rank < 2 ? "tp01" : "tp23");
      if (rank < 2 || step != 4) {
        job.issue(rank, Kind::kAllReduce, "Net.grads", rank % 2 == 0 ? "dp02" : "dp13");
      }
    }
  }
  job.issue(2, Kind::kBarrier, "Global");
  job.issue(3, Kind::kBarrier, "Global");
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kSkipped, {{2, 3}});
  CHECK(verdict.call->module == "Net.grads");
  CHECK(verdict.call->sequence == 5);
  REQUIRE(verdict.calls.size() == 2);
  CHECK(verdict.calls[1].module == "Net.attn");
  CHECK(rankOf(verdict, 0).role == RankRole::kVictim);
}

TEST_CASE("the rank of a cycle that made one receive fewer than before is the cause") {
  HangJob job(3);
  const auto batches = [&job](int count, int received) {
    for (int i = 0; i < count; ++i) {
      job.message(0, Kind::kSend, 1);
      job.message(1, Kind::kRecv, 0);
      job.message(1, Kind::kSend, 2);
      if (i < received) {
        job.message(2, Kind::kRecv, 1);
      }
    }
  };
  batches(4, 4);
  job.issueOnAll(Kind::kBarrier, "Global");
  batches(4, 3);
  job.issue(0, Kind::kBarrier, "Global");
  job.issue(2, Kind::kBarrier, "Global");
  const Verdict verdict = judged(job);
  CHECK(verdict.reason == HangReason::kSkipped);
  CHECK(verdict.cause == RankRanges{{2, 2}});
  CHECK(verdict.call->kind == Kind::kSend);
  CHECK(verdict.call->ranks == RankRanges{{1, 1}});
}

TEST_CASE("two sends that meet no receive are a cycle") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1);
  job.message(1, Kind::kSend, 0);
  const Verdict verdict = judged(job);
  CHECK(verdict.reason == HangReason::kCycle);
  CHECK_FALSE(verdict.inferred);
}

TEST_CASE("calls that differ are the cause, before ranks that are late") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1, 3}) {
    job.issue(rank, Kind::kAllReduce, "Net.b");
  }
  job.issue(2, Kind::kBroadcast, "Net.c");
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kOp, {{2, 2}});
  REQUIRE(verdict.calls.size() == 2);
  CHECK(verdict.calls[0].ranks == RankRanges{{0, 1}, {3, 3}});
  CHECK(verdict.calls[1].module == "Net.c");
  CHECK(judged(job, 1).status == HangStatus::kWrong);
}

TEST_CASE("a rank that is late is the cause, before reductions that differed and did not stop anyone") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(1).last.back().reduce_op = "max";
  CHECK(judged(job).reason == HangReason::kReduceOp);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1, 3}) {
    job.issue(rank, Kind::kAllReduce, "Net.b");
  }
  const Verdict verdict = judged(job);
  CHECK(verdict.reason == HangReason::kBlocked);
  CHECK(verdict.cause == RankRanges{{2, 2}});
}

TEST_CASE("a job that has ended well is healthy; one whose ranks waited is not") {
  HangJob job = lateJob(4, 2);
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.report(rank).job.exit = ExitKind::kNormal;
  }
  const Verdict verdict = judged(job);
  checkIsRank2(verdict, HangReason::kExited, HangStatus::kWrong);
  job.issue(2, Kind::kAllReduce, "Net.b");
  CHECK(judged(job).status == HangStatus::kHealthy);
}

TEST_CASE("ranks that exited with an error are to be looked at") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1, 2}) {
    job.report(rank).job.exit = ExitKind::kNormal;
    job.report(rank).job.exit_status = rank == 1 ? 1 : 0;
  }
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kFailed, HangReason::kExited, {{1, 1}});
  CHECK(verdict.ranks.at(1).exit_status == 1);
}

/// Ends all ranks by the launcher's signal, so many seconds after the last call.
void cancel(HangJob& job, uint64_t seconds) {
  for (const RankSight& sight : job.sights()) {
    if (!sight.hasEnded()) {
      job.end(sight.rank(), ExitKind::kKilled, 15, seconds);
    }
  }
}

TEST_CASE("a rank that had not come when all were killed is named; when that was is not known") {
  HangJob job = lateJob(4, 2);
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  const Verdict verdict = judged(job);
  checkIsRank2(verdict, HangReason::kNotCome, HangStatus::kUnknown);
  REQUIRE(verdict.end);
  CHECK_FALSE(verdict.end->at_ns);
}

TEST_CASE("a job that is cancelled while it makes progress is healthy, also if a rank had not come") {
  HangJob job = lateJob(4, 2);
  cancel(job, 5);
  const Verdict verdict = judged(job, 1000);
  CHECK(verdict.status == HangStatus::kHealthy);
  CHECK(verdict.quiet_s == doctest::Approx(5));
  REQUIRE(verdict.end);
  CHECK(verdict.end->at_ns == job.after(5));
  CHECK(verdict.last_activity_ns < job.after(5)); // as in the merged report: a killed process was not active at its end
  CHECK(verdict.end->signal == 15);
  HangJob even(2);
  even.issueOnAll(Kind::kAllReduce, "Net.a");
  cancel(even, 5);
  CHECK(judged(even, 1000).status == HangStatus::kHealthy);
  CHECK(judged(even, 1000).reason == HangReason::kNone);
}

TEST_CASE("a job that is cancelled after a long wait keeps its cause, and the wait stops at the end") {
  HangJob job = lateJob(4, 2);
  cancel(job, 30);
  const Verdict verdict = judged(job, 1000);
  checkIsRank2(verdict, HangReason::kNotCome, HangStatus::kStuck);
  CHECK(verdict.waits_s == doctest::Approx(32));
  CHECK(verdict.quiet_s == doctest::Approx(30));
  CHECK(rankOf(verdict, 2).state == RankState::kEnded);
  CHECK(rankOf(verdict, 0).state == RankState::kEnded);
}

/// Has the rank run on another host, whose clock differs.
void moveClock(Report& report, int64_t seconds) {
  const uint64_t by_ns = static_cast<uint64_t>(seconds) * HangJob::kSecond; // wraps around for less than 0
  report.job.host = "another";
  report.job.started_at_ns += by_ns;
  *report.job.ended_at_ns += by_ns;
  for (LastCollective& call : report.last) {
    call.issued_at_ns += by_ns;
  }
}

TEST_CASE("a hang of hosts whose clocks differ is no healthy job") {
  for (const int64_t seconds : {-500, -70, 70, 500}) {
    HangJob job = lateJob(4, 2);
    cancel(job, 120);
    moveClock(job.report(2), seconds);
    const Verdict verdict = judged(job, 1000);
    checkIsRank2(verdict, HangReason::kNotCome, HangStatus::kStuck);
    CHECK(verdict.quiet_s == doctest::Approx(120));
    CHECK(verdict.waits_s >= 120);
  }
}

TEST_CASE("the waits of a job whose ranks ended by themselves stop at the last end") {
  HangJob job = lateJob(4, 2);
  job.exit(2, 0, 1);
  for (const int64_t rank : {0, 1, 3}) {
    job.exit(rank, 1, 2);
  }
  const Verdict verdict = judged(job, 3600);
  checkIsRank2(verdict, HangReason::kExited);
  CHECK(verdict.waits_s < 10);
  CHECK(verdict.quiet_s < 10);
}

TEST_CASE("a rank that gave up waiting is a victim, also if the launcher ended the others") {
  HangJob job = lateJob(4, 2);
  job.end(0, ExitKind::kSignal, 6, 30);
  cancel(job, 31);
  const Verdict verdict = judged(job, 1000);
  checkIsRank2(verdict, HangReason::kNotCome, HangStatus::kStuck);
  CHECK(verdict.end->gave_up == RankRanges{{0, 0}});
  CHECK(verdict.end->at_ns == job.after(30));
}

TEST_CASE("ranks that end by a timeout of their own before --after have their cause named") {
  HangJob job = lateJob(4, 2);
  for (const int64_t rank : {0, 1, 3}) {
    job.exit(rank, 1, 20);
  }
  cancel(job, 21);
  const std::vector<RankSight> sights = job.sights();
  const Verdict verdict = judge(sights, {job.after(1000), 60});
  checkIsRank2(verdict, HangReason::kNotCome, HangStatus::kStuck);
  CHECK(verdict.end->gave_up == RankRanges{{0, 1}, {3, 3}});
}

TEST_CASE("a rank that its launcher ended with the others is no cause if another one had failed by itself") {
  HangJob job = lateJob(4, 2);
  job.exit(2, 1, 1);
  job.end(0, ExitKind::kKilled, std::nullopt, 0); // its signal was not seen
  cancel(job, 2);
  const Verdict verdict = judged(job, 1000);
  checkIsRank2(verdict, HangReason::kExited, HangStatus::kFailed);
  CHECK(rankOf(verdict, 0).role != RankRole::kCause);
}

TEST_CASE("a rank that went on until its launcher ended the others is not known to have crashed") {
  for (const uint64_t seconds : {0, 5}) {
    HangJob job(2);
    job.issueOnAll(Kind::kAllReduce, "Net.a");
    job.end(0, ExitKind::kKilled, std::nullopt, 0);
    cancel(job, seconds);
    CHECK(judged(job, 1000).status == (seconds == 0 ? HangStatus::kUnknown : HangStatus::kFailed));
  }
}

TEST_CASE("a rank that its launcher found killed is the cause, also if it went on until the others were ended") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.end(1, ExitKind::kSignal, SIGKILL, 0);
  HangJob all = job;
  cancel(job, 0);
  checkVerdict(judged(job, 1000), HangStatus::kFailed, HangReason::kKilled, {{1, 1}});
  for (const int64_t rank : {0, 2}) {
    all.end(rank, ExitKind::kSignal, SIGKILL, 0);
  }
  CHECK(judged(all, 1000).status == HangStatus::kUnknown);
}

TEST_CASE("a rank that comes to a call after the others gave it up is the cause") {
  HangJob job = lateJob(4, 2);
  for (const int64_t rank : {0, 1, 3}) {
    job.exit(rank, 1, 30);
  }
  job.issue(2, Kind::kAllReduce, "Net.b").issued_at_ns = job.after(40);
  job.exit(2, 1, 41);
  const Verdict verdict = judged(job, 1000);
  checkIsRank2(verdict, HangReason::kNotCome, HangStatus::kStuck);
  REQUIRE(verdict.end);
  CHECK(verdict.end->gave_up == RankRanges{{0, 1}, {3, 3}});
}

TEST_CASE("ranks that fail as soon as they have issued a call did not wait for the last that fails") {
  HangJob job = lateJob(4, 2);
  for (const int64_t rank : {0, 1, 3}) {
    job.report(rank).last.back().issued_at_ns = job.after(0);
    job.exit(rank, 1, 0);
  }
  job.exit(2, 1, 5);
  const Verdict verdict = judged(job, 1000);
  checkVerdict(verdict, HangStatus::kFailed, HangReason::kExited, {{0, 3}});
}

TEST_CASE("a rank that gave up while the cause still runs waits for what the cause does") {
  HangJob job = lateJob(4, 2);
  job.end(0, ExitKind::kSignal, 6, 30);
  const Verdict verdict = judged(job, 1000);
  checkIsRank2(verdict, HangReason::kBlocked, HangStatus::kStuck);
}

TEST_CASE("a rank that was killed before the launcher ended the others is the cause") {
  HangJob job = lateJob(4, 2);
  job.end(2, ExitKind::kKilled, std::nullopt, 0);
  HangJob late = job;
  cancel(job, 2);
  const Verdict verdict = judged(job, 1000);
  checkIsRank2(verdict, HangReason::kKilled, HangStatus::kFailed);
  CHECK(verdict.counts.empty());
  cancel(late, 30);
  CHECK(judged(late, 1000).status == HangStatus::kStuck);
}

TEST_CASE("a rank that failed is the cause, whether its launcher or their own errors end the others") {
  HangJob job = lateJob(4, 2);
  job.exit(2, 1, 1);
  for (const int64_t rank : {0, 1, 3}) {
    job.exit(rank, 1, 2);
  }
  checkIsRank2(judged(job, 1000), HangReason::kExited, HangStatus::kFailed);
}

TEST_CASE("several ranks that were killed as the launcher ended the others may have been ended with them") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.end(2, ExitKind::kKilled, std::nullopt, 0);
  job.end(3, ExitKind::kKilled, std::nullopt, 0);
  HangJob late = job;
  cancel(job, 2);
  CHECK(judged(job, 1000).status == HangStatus::kUnknown);
  CHECK(judged(job, 1000).cause == RankRanges{{2, 3}});
  cancel(late, 30);
  CHECK(judged(late, 1000).status == HangStatus::kStuck);
  CHECK(judged(late, 1000).cause == RankRanges{{2, 3}});
}

TEST_CASE("a rank that failed before the launcher ended the others is the cause, or is named") {
  HangJob job = lateJob(4, 2);
  job.exit(2, 1, 1);
  cancel(job, 2);
  checkIsRank2(judged(job, 1000), HangReason::kExited, HangStatus::kFailed);
  HangJob even(3);
  even.issueOnAll(Kind::kAllReduce, "Net.a");
  even.exit(2, 1, 1);
  cancel(even, 2);
  const Verdict verdict = judged(even, 1000);
  checkVerdict(verdict, HangStatus::kFailed, HangReason::kExited, {{2, 2}});
}

TEST_CASE("ranks that waited for each other until the job was ended are a cycle") {
  HangJob job(2);
  job.addGroup("a", {0, 1});
  job.addGroup("b", {0, 1});
  job.issue(0, Kind::kAllReduce, "Net.a", "a");
  job.issue(1, Kind::kAllReduce, "Net.b", "b");
  HangJob killed = job;
  cancel(job, 30);
  CHECK(judged(job, 1000).reason == HangReason::kCycle);
  CHECK(judged(job, 1000).status == HangStatus::kStuck);
  for (const int64_t rank : {0, 1}) {
    killed.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  CHECK(judged(killed, 1000).reason == HangReason::kCycle);
  CHECK(judged(killed, 1000).status == HangStatus::kUnknown);
}

TEST_CASE("calls that differ stay the cause after the end") {
  HangJob job(3);
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kBarrier, "Global");
  job.issue(2, Kind::kAllReduce, "Net.a");
  cancel(job, 30);
  CHECK(judged(job, 1000).reason == HangReason::kOp);
  CHECK(judged(job, 1000).status == HangStatus::kStuck);
  for (const int64_t rank : {0, 1, 2}) {
    job.end(rank, ExitKind::kKilled, SIGTERM, 1);
  }
  CHECK(judged(job, 1000).status == HangStatus::kWrong);
}

TEST_CASE("a rank gives up a call that differs from that of the others") {
  HangJob job(3);
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kBarrier, "Global");
  job.issue(2, Kind::kAllReduce, "Net.a");
  job.end(0, ExitKind::kSignal, SIGABRT, 30);
  job.end(1, ExitKind::kKilled, SIGTERM, 31);
  job.end(2, ExitKind::kKilled, SIGTERM, 31);
  const Verdict verdict = judged(job, 1000);
  CHECK(verdict.reason == HangReason::kOp);
  CHECK(verdict.status == HangStatus::kStuck);
  REQUIRE(verdict.end);
  CHECK(verdict.end->gave_up == RankRanges{{0, 0}});
  CHECK(verdict.end->at_ns == job.after(30));
}

TEST_CASE("the call that all ranks had issued stays named after the end") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  HangJob aborted = job;
  cancel(job, 30);
  aborted.end(0, ExitKind::kSignal, 6, 30);
  aborted.end(1, ExitKind::kSignal, 6, 31);
  for (const HangJob* each : {&job, &aborted}) {
    const Verdict verdict = judged(*each, 1000);
    CHECK(verdict.status == HangStatus::kUnknown);
    CHECK(verdict.reason == HangReason::kNotCompleted);
    REQUIRE(verdict.call);
    CHECK(verdict.call->module == "Net.a");
    REQUIRE(verdict.end);
  }
  CHECK(judged(aborted, 1000).end->gave_up == RankRanges{{0, 1}});
  aborted.exit(0, 1, 30); // an exception, perhaps after the call had completed
  aborted.exit(1, 1, 31);
  CHECK(judged(aborted, 1000).reason == HangReason::kNotCompleted);
  CHECK(judged(aborted, 1000).end->gave_up.empty());
}

TEST_CASE("ranks that all gave up are known as such if the clocks of their hosts differ") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.end(0, ExitKind::kSignal, 6, 100);
  job.end(1, ExitKind::kSignal, 6, 100);
  moveClock(job.report(1), -95);
  const Verdict verdict = judged(job, 1000);
  CHECK(verdict.reason == HangReason::kNotCompleted);
  REQUIRE(verdict.end);
  CHECK(verdict.end->gave_up == RankRanges{{0, 1}});
  CHECK(verdict.quiet_s == doctest::Approx(100));
}

/// A job of a mesh of two by two, after some steps: each rank has a call in its row, and one in its column.
HangJob meshJob() {
  HangJob job(4);
  job.addGroup("row0", {0, 1});
  job.addGroup("row1", {2, 3});
  job.addGroup("column0", {0, 2});
  job.addGroup("column1", {1, 3});
  for (int step = 0; step < 3; ++step) {
    for (const int64_t rank : {0, 1, 2, 3}) {
      job.issue(rank, Kind::kAllGather, "Net.a", rank < 2 ? "row0" : "row1");
      job.issue(rank, Kind::kAllReduce, "Net.b", rank % 2 == 0 ? "column0" : "column1");
      job.issue(rank, Kind::kAllReduce, "Net.c", rank < 2 ? "row0" : "row1");
    }
  }
  return job;
}

TEST_CASE("in a cycle, the rank that left out the call that its peers made is the cause") {
  HangJob job = meshJob();
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.issue(rank, Kind::kAllGather, "Net.a", rank < 2 ? "row0" : "row1");
  }
  job.issue(3, Kind::kAllReduce, "Net.b", "column1");
  job.issue(1, Kind::kAllReduce, "Net.c", "row0"); // without Net.b
  job.issue(0, Kind::kAllReduce, "Net.b", "column0");
  job.issue(2, Kind::kAllReduce, "Net.x", "row1"); // so that all four wait for each other
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kSkipped, {{1, 1}});
  REQUIRE(verdict.call);
  CHECK(verdict.call->module == "Net.b");
  CHECK(verdict.call->group == "column1");
  CHECK(verdict.inferred);
}

TEST_CASE("in a mesh, the call is the one that the cause would have made next") {
  HangJob job = meshJob();
  job.issue(3, Kind::kAllReduce, "Net.b", "column1"); // waits longest, for a call that rank 1 makes later
  job.issue(0, Kind::kAllGather, "Net.a", "row0");
  const Verdict verdict = judged(job);
  CHECK(verdict.reason == HangReason::kBlocked);
  CHECK(verdict.cause == RankRanges{{1, 1}});
  REQUIRE(verdict.call);
  CHECK(verdict.call->module == "Net.a");
}

TEST_CASE("a rank without a report that has taken part is elsewhere, and one that is late here is the cause") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {2, 3}) {
    job.remove(rank);
  }
  job.report(0).last.back().state = LastState::kCompleted;
  job.issue(0, Kind::kAllReduce, "Net.b");
  const Verdict late = judged(job);
  CHECK(late.reason == HangReason::kBlocked);
  CHECK(late.cause == RankRanges{{1, 1}});
  job.issue(1, Kind::kAllReduce, "Net.b");
  const Verdict verdict = judged(job);
  CHECK(verdict.status == HangStatus::kUnknown); // the call has returned, and may have completed
  CHECK(verdict.reason == HangReason::kElsewhere);
  CHECK(verdict.cause == RankRanges{{2, 3}});
  REQUIRE(verdict.call);
  CHECK(verdict.call->sequence == 2);
  for (const int64_t rank : {0, 1}) {
    job.report(rank).last.back().state = LastState::kIssued;
  }
  CHECK(judged(job).status == HangStatus::kStuck);
}

TEST_CASE("a rank whose child process computes is busy, not blocked") {
  HangJob job = lateJob(4, 2);
  job.look(2).child_computes = true;
  const Verdict verdict = judged(job);
  checkIsRank2(verdict, HangReason::kComputing, HangStatus::kUnknown);
  CHECK(rankOf(verdict, 2).child_computes);
}

TEST_CASE("one host's folder of a job that has finished is healthy") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {2, 3}) {
    job.remove(rank);
  }
  for (const int64_t rank : {0, 1}) {
    job.issue(rank, Kind::kAllReduce, "Net.b");
    job.exit(rank, 0, 1);
  }
  CHECK(judged(job, 1000).status == HangStatus::kHealthy);
  CHECK(judged(job, 1000).cause.empty());
}

TEST_CASE("what all ranks have issued is not known from one host's folder") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(0).last.back().state = LastState::kCompleted;
  for (const int64_t rank : {2, 3}) {
    job.remove(rank);
  }
  CHECK(judged(job).status == HangStatus::kUnknown);
  CHECK(judged(job).reason == HangReason::kQuiet);
  CHECK(judged(job).reported == 2);
}

TEST_CASE("a group of one rank does not show what all ranks have issued") {
  HangJob job(2);
  job.addGroup("own", {0});
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1}) {
    job.report(rank).last.back().state = LastState::kCompleted;
  }
  job.issue(0, Kind::kAllReduce, "Net.b", "own");
  job.exit(1, 0, 1);
  job.remove(1);
  CHECK(judged(job).reason == HangReason::kQuiet);
}

TEST_CASE("a rank that is stopped while all have issued the same call is the cause") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.look(1).is_stopped = true;
  CHECK(judged(job, 5).status == HangStatus::kHealthy);
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kStopped, {{1, 1}});
  CHECK_FALSE(verdict.call);
}

TEST_CASE("a rank that failed is named, also if it may have waited for one without a report") {
  HangJob job(2);
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.exit(0, 1, 2);
  job.remove(1);
  const Verdict verdict = judged(job, 1000);
  checkVerdict(verdict, HangStatus::kUnknown, HangReason::kExited, {{0, 0}});
}

TEST_CASE("ranks wait in calls that differ") {
  HangJob job(3);
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kBarrier, "Global");
  job.issue(2, Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1, 2}) {
    CHECK(rankOf(judged(job), rank).state == RankState::kWaits);
  }
}

TEST_CASE("a rank that exited well did not wait for a receive") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1);
  job.exit(0, 0, 1);
  job.exit(1, 0, 2);
  const Verdict verdict = judged(job, 1000);
  CHECK(verdict.status == HangStatus::kHealthy);
  CHECK(rankOf(verdict, 0).waits_for.empty());
}

TEST_CASE("a quiet job in which no rank waits is unknown") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  const Verdict same = judged(job);
  CHECK(same.status == HangStatus::kUnknown);
  CHECK(same.reason == HangReason::kNotCompleted);
  CHECK(same.call->module == "Net.a");
  job.report(0).last.back().state = LastState::kCompleted;
  job.report(1).last.back().state = LastState::kCompleted;
  CHECK(judged(job).reason == HangReason::kQuiet);
  for (const int64_t rank : {0, 1}) {
    job.look(rank).cpu_share = 1;
  }
  CHECK(judged(job).reason == HangReason::kComputing);
  CHECK(judged(job, 5).status == HangStatus::kHealthy);
}

TEST_CASE("messages that seem to differ are the cause only of a job that hangs") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1);
  job.message(1, Kind::kRecv, 0).bytes = 128;
  CHECK(judged(job).reason == HangReason::kUnmatched);
  CHECK(judged(job).status == HangStatus::kStuck);
  CHECK(judged(job).inferred);
  CHECK(judged(job, 5).status == HangStatus::kHealthy);
}

TEST_CASE("a job that was seen to go on is not quiet") {
  const HangJob job = lateJob(4, 2);
  const std::vector<RankSight> sights = job.sights();
  CHECK(judge(sights, {job.after(60), kPatience, true, job.after(55)}).status == HangStatus::kHealthy);
  CHECK(judge(sights, {job.after(60), kPatience, true, job.after(45)}).status == HangStatus::kStuck);
}

TEST_CASE("an old difference is the cause of what ranks wait for now") {
  HangJob job = lateJob(4, 2);
  for (const int64_t rank : {0, 1, 2, 3}) {
    Group& group = job.report(rank).groups.front();
    const uint64_t before = group.collectives;
    group.collectives += 3 * kStretchCalls;
    for (LastCollective& call : job.report(rank).last) {
      call.sequence += group.collectives - before;
    }
    group.stretches = {1, rank == 1 ? 7 : 2, rank == 1 ? 8 : 3, 4};
    job.report(rank).collectives.front().count += rank == 1 ? 1 : 0;
  }
  const Verdict verdict = judged(job);
  checkVerdict(verdict, HangStatus::kStuck, HangReason::kDiverged, {{1, 1}});
  REQUIRE(verdict.divergence);
  CHECK(verdict.divergence->from == kStretchCalls + 1);
  CHECK(verdict.divergence->to == 2 * kStretchCalls);
  REQUIRE(verdict.counts.size() == 1);
  CHECK(verdict.counts[0].module == "Net.a");
  CHECK(verdict.counts[0].cause_count == 2);
  CHECK(verdict.counts[0].others_count == 1);
}

} // namespace
} // namespace commtap
