// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/why_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/hang/hang_judge.h"
#include "report/json/row_write.h"
#include "tests/unit/hang_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

Verdict judged(const HangJob& job, uint64_t seconds = 60) {
  const std::vector<RankSight> sights = job.sights();
  constexpr double kPatience = 10;
  Verdict verdict = judge(sights, {job.after(seconds), kPatience});
  verdict.patience_s = kPatience;
  verdict.line = lineOf(verdict);
  return verdict;
}

TEST_CASE("the line of a rank that does not come") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.issue(2, Kind::kAllReduce, "Net.b");
  CHECK(
      judged(job).line ==
      "rank 1 has not entered all_reduce #2 of world [0-2] (64 B for Net.b, forward): it is blocked outside of "
      "communication (sleeps); others have waited for 1.02 min");
  CHECK(
      has(whyText(judged(job), Color::none()),
          "rank 1 blocked (sleeps), last call all_reduce #1 of world [0-2] for Net.a;"));
  CHECK(judged(job, 5).line.starts_with("the last event was 5.00 s ago; rank 1 has not entered"));
  job.report(1).job.exit = ExitKind::kKilled;
  job.report(1).job.exit_signal = 9;
  CHECK(has(judged(job).line, "it was killed (SIGKILL); others"));
  job.report(1).job.exit_signal.reset();
  CHECK(has(judged(job).line, "it crashed or was killed; others"));
  job.report(1).job.exit = ExitKind::kNormal;
  CHECK(has(judged(job).line, "it has exited; others"));
  job.report(1).job.exit_status = 1;
  CHECK(has(judged(job).line, "it has exited with status 1; others"));
  job.exit(1, 1, 30); // the calls of the others were the last
  CHECK(has(judged(job).line, "it has exited with status 1, 31.0 s after others began to wait; others"));
  job.report(1).job.host = "other"; // clocks may differ
  CHECK(has(judged(job).line, "it has exited with status 1; others"));
  job.remove(1);
  CHECK(has(judged(job).line, "rank 0 may wait in all_reduce #2 of world [0-2] (64 B for Net.b, forward) for rank 1"));
  HangJob first(2);
  first.issue(0, Kind::kBarrier, "Global");
  first.remove(1);
  CHECK(
      judged(first).line ==
      "rank 1 has not entered barrier #1 of world [0-1] (0 B for Global, other): it has no report here: never started, "
      "or in a folder that is not named; others have waited for 1.00 min (inferred)");
}

TEST_CASE("a job whose ranks exited with an error has not ended well") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1, 2}) {
    job.report(rank).job.exit = ExitKind::kNormal;
    job.report(rank).job.exit_status = 0;
    job.look(rank) = {};
  }
  CHECK(judged(job).line == "the job has ended, and at the end no rank waited for another");
  job.report(0).job.exit_status = job.report(2).job.exit_status = 1;
  CHECK(judged(job).line == "ranks 0,2 exited with status 1, and at the end no rank waited for another");
  CHECK(has(whyText(judged(job), Color::none()), "  cause   rank 2 exited with status 1, last call "));
  job.report(2).job.exit_status = 3;
  CHECK(has(judged(job).line, "ranks 0,2 exited with status 1 or 3, and"));
}

TEST_CASE("of a rank that crashed in a call that another one had not made, both are named") {
  HangJob job = lateJob(3, 0);
  job.end(2, ExitKind::kSignal, 6, 3);
  job.end(0, ExitKind::kKilled, 15, 4);
  job.end(1, ExitKind::kKilled, 15, 4);
  const std::string text = whyText(judged(job), Color::none());
  CHECK(
      has(text, "failed: rank 2 crashed (SIGABRT) after all_reduce #2 of world [0-2] (64 B for Net.b, forward), to "));
  CHECK(has(text, "which rank 0 had not come; then the job was ended (SIGTERM)\n"));
  CHECK(has(
      text, "rank 1 had issued all_reduce #2 of world [0-2] of Net.b, to which rank 0 did not come, and was ended "));
}

TEST_CASE("the line and the rank's line name the call to NCCL that has not returned") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 2}) {
    job.issue(rank, Kind::kAllReduce, "Net.b");
  }
  job.report(1).open_calls = {{"ncclAllReduce", "world", job.after(0)}};
  const Verdict verdict = judged(job);
  CHECK(has(verdict.line, "it is in ncclAllReduce, which has not returned for 1.00 min; others have waited"));
  CHECK(
      has(whyText(verdict, Color::none()),
          "rank 1 waits (sleeps), last call all_reduce #1 of world [0-2] for Net.a; in ncclAllReduce, which has not "
          "returned for"));
  job.report(1).job.exit = ExitKind::kKilled;
  CHECK(has(whyText(judged(job), Color::none()), "Net.a; in ncclAllReduce, which has not returned; pid"));
}

TEST_CASE("the line of ranks that make other groups says what each rank makes") {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(0).open_calls = job.report(1).open_calls = {{"new_group of ranks 0-1", "", job.after(0)}};
  job.report(3).open_calls = {{"new_group of ranks 2-3", "", job.after(10)}};
  const std::string line = judged(job).line;
  CHECK(has(line, "ranks 0-1 are in new_group of ranks 0-1, rank 2 is in none, rank 3 is in new_group of ranks "));
  CHECK(has(line, "for 1.00 min; all ranks of a job have to make each group, in one order"));
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  CHECK(has(judged(job).line, "rank 3 was in new_group of ranks 2-3, until the job was killed; all ranks"));
}

TEST_CASE("a call that ranks skipped is named where nothing shows how long others had waited") {
  Verdict verdict;
  verdict.status = HangStatus::kUnknown;
  verdict.reason = HangReason::kSkipped;
  verdict.cause = {{1, 1}};
  verdict.call = HangCall{.group = "dp", .members = {{0, 1}}, .sequence = 5, .kind = Kind::kAllReduce};
  verdict.end = HangEnd{};
  CHECK(lineOf(verdict).starts_with("cannot tell: rank 1 skipped all_reduce #5 of dp [0-1]"));
}

TEST_CASE("of a group with many ranges of ranks, the line has the first ones") {
  Verdict verdict;
  verdict.status = HangStatus::kStuck;
  verdict.reason = HangReason::kBlocked;
  verdict.cause = {{5, 5}};
  HangCall call;
  call.group = "dp";
  for (int64_t rank = 0; rank < 32; rank += 2) {
    call.members.emplace_back(rank, rank);
  }
  verdict.call = call;
  CHECK(has(lineOf(verdict), "of dp [0,2,4,6,... 16 ranks]"));
}

TEST_CASE("the lines of calls that differ") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(1).last.back().bytes = 128;
  CHECK(
      judged(job).line ==
      "ranks issued all_reduce #1 of world [0-2] (128 B for Net.a, forward) with different sizes: ranks 0,2: 64 B; "
      "rank 1: 128 B");
  HangJob ops(3);
  ops.issue(0, Kind::kAllReduce, "Net.a");
  ops.issue(1, Kind::kBarrier, "Global");
  ops.issue(2, Kind::kAllReduce, "Net.a");
  CHECK(
      judged(ops).line ==
      "ranks issued different collectives as #1 of world [0-2]: ranks 0,2: all_reduce of 64 B for Net.a, forward; rank "
      "1: barrier of 0 B for Global, other");
}

TEST_CASE("the line of a difference long ago") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(1).collectives.front().reduce_op = "max";
  for (const int64_t rank : {0, 1, 2}) {
    Group& group = job.report(rank).groups.front();
    group.collectives = 3000;
    group.stretches = {rank == 1 ? 8 : 9, 4, 4};
    job.report(rank).last.back().sequence = 3000;
  }
  job.issue(0, Kind::kAllReduce, "Net.b");
  CHECK(
      judged(job).line ==
      "rank 1 of world [0-2] made other collectives than the rest between #1 and #1024; they count those of Net.a "
      "differently; now rank 0 waits in all_reduce #3001 of world [0-2] (64 B for Net.b, forward)");
  const std::string text = whyText(judged(job), Color::none());
  CHECK(has(text, "Counted differently:\n  c10d.all_reduce_ in Net.a (forward): 0 on rank 1, 1 on rank 0\n"));
  CHECK(has(text, "  c10d.all_reduce_ max in Net.a (forward): 1 on rank 1, 0 on rank 0\n"));
}

TEST_CASE("the line of a cycle, and the text of its ranks") {
  HangJob job(2);
  job.addGroup("a", {0, 1});
  job.addGroup("b", {0, 1});
  job.issue(0, Kind::kAllReduce, "Net.a", "a");
  job.issue(1, Kind::kAllReduce, "Net.b", "b");
  const Verdict verdict = judged(job);
  CHECK(
      verdict.line ==
      "ranks 0-1 wait for each other: rank 0 in all_reduce #1 of a [0-1] (Net.a) for rank 1, rank 1 in all_reduce #1 "
      "of "
      "b [0-1] (Net.b) for rank 0");
  const std::string text = whyText(verdict, Color::none());
  CHECK(text.starts_with("stuck: ranks 0-1 wait for each other"));
  CHECK(has(text, "  cause   rank 0 waits in all_reduce #1 of a [0-1] of Net.a for rank 1; pid 100 on here\n"));
}

TEST_CASE("the lines of jobs that do not hang, or are unknown") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  CHECK(judged(job, 4).line == "the last event was 4.00 s ago");
  CHECK(whyText(judged(job, 4), Color::none()) == "healthy: the last event was 4.00 s ago\n");
  Verdict patient = judged(job, 5);
  patient.patience_s = 60;
  CHECK(lineOf(patient) == "the last event was 5.00 s ago; stuck only if it lasts 60 s (--after)");
  patient.quiet_s = 4;
  CHECK(lineOf(patient) == "the last event was 4.00 s ago");
  patient.quiet_s = 17;
  patient.end = HangEnd{.signal = 15};
  CHECK(
      lineOf(patient) ==
      "the job was ended (SIGTERM), 17.0 s after the last event; stuck only if it had lasted 60 s (--after)");
  CHECK(judged(job, 0).line == "the ranks make progress");
  CHECK(whyText(judged(job), Color::none()).starts_with("cannot tell: all ranks have issued"));
  CHECK(has(judged(job).line, "cannot tell: all ranks have issued all_reduce #1 of world [0-1]"));
  for (const int64_t rank : {0, 1}) {
    job.look(rank).cpu_share = 1;
  }
  CHECK(has(judged(job).line, "cannot tell: all ranks have run for"));
  CHECK(has(lineOf(Verdict()), "no report or ledger of a rank was found"));
  Verdict unread;
  unread.problems = {"rank-00000.json: cut off"};
  CHECK(lineOf(unread) == "cannot tell: no report or ledger of a rank could be read");
}

TEST_CASE("a rank that others may wait for in vain, and that waits itself, is not said to compute") {
  HangCall call{.group = "b", .members = rankRanges({0, 1, 2}), .sequence = 1, .kind = Kind::kBarrier};
  Verdict verdict{.status = HangStatus::kHealthy, .reason = HangReason::kSkipped, .cause = rankRanges({1, 2})};
  verdict.ranks = {{.rank = 1, .role = RankRole::kCause, .state = RankState::kWaits, .call = call}};
  verdict.call = HangCall{.group = "a", .members = rankRanges({0, 1, 2}), .sequence = 5, .module = "Net.a"};
  verdict.waits_s = verdict.quiet_s = 17;
  verdict.patience_s = 60;
  CHECK(has(lineOf(verdict), ": they are in another call; others have waited for 17.0 s; stuck only if"));
  verdict.ranks.front().state = RankState::kRuns;
  CHECK(has(lineOf(verdict), ": they are computing; others have waited"));
}

void cancel(HangJob& job, uint64_t seconds) {
  for (const int64_t rank : {0, 1, 2}) {
    job.end(rank, ExitKind::kKilled, 15, seconds);
  }
}

TEST_CASE("the line of a job that was cancelled says by which signal, and how long after the last event") {
  HangJob job = lateJob(3, 1);
  cancel(job, 3);
  CHECK(
      whyText(judged(job, 1000), Color::none()) ==
      "healthy: the job was ended (SIGTERM), 3.00 s after the last event\n"
      "Run run, last active 1970-01-01T00:16:45Z\n");
  cancel(job, 0);
  CHECK(judged(job, 1000).line == "the job was ended (SIGTERM) while its ranks made progress");
}

TEST_CASE("the line of a rank that had not come when the job was ended") {
  HangJob job = lateJob(3, 1);
  cancel(job, 30);
  const Verdict verdict = judged(job, 1000);
  CHECK(
      verdict.line ==
      "rank 1 had not entered all_reduce #2 of world [0-2] (64 B for Net.b, forward) when the job was ended (SIGTERM); "
      "others had waited for 31.0 s");
  const std::string text = whyText(verdict, Color::none());
  CHECK(
      has(text,
          "  cause   rank 1 was alive until the end (SIGTERM), last call all_reduce #1 of world [0-2] for Net.a; pid"));
  CHECK(has(
      text, "  victim  rank 0 waited until the end (SIGTERM) in all_reduce #2 of world [0-2] of Net.b for rank 1;"));
  job.end(0, ExitKind::kSignal, 6, 20);
  CHECK(has(judged(job, 1000).line, "when the job was ended (rank 0 gave up: SIGABRT); others"));
  job.exit(0, 1, 20);
  CHECK(has(judged(job, 1000).line, "when the job was ended (rank 0 gave up: status 1); others"));
}

TEST_CASE("the lines of ranks that were all killed say that the time is not known") {
  HangJob job = lateJob(3, 1);
  HangJob even(2);
  even.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1, 2}) {
    job.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  for (const int64_t rank : {0, 1}) {
    even.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  const std::string line = judged(job).line;
  CHECK(line.starts_with("cannot tell: rank 1 had not entered all_reduce #2 of world [0-2] (64 B for Net.b, forward)"));
  CHECK(line.ends_with(" when the job was killed; when, and how long others had waited, is not known"));
  CHECK(
      judged(even).line ==
      "cannot tell: all ranks had issued all_reduce #1 of world [0-1] (64 B for Net.a, forward) when the job was "
      "killed; "
      "whether it completed is not known");
}

TEST_CASE("ranks that failed in a wait may have left it before their end") {
  HangJob job = lateJob(3, 1);
  job.exit(1, 0, 1);
  job.exit(0, 1, 4);
  job.exit(2, 1, 4);
  const Verdict verdict = judged(job, 1000);
  CHECK(verdict.line.starts_with("rank 1 has not entered all_reduce #2 of world [0-2]"));
  CHECK(has(verdict.line, "; others had waited for up to "));
  job.end(1, ExitKind::kSignal, 9, 1);
  CHECK(
      judged(job, 1000).line ==
      "rank 1 was killed (SIGKILL) before all_reduce #2 of world [0-2] (64 B for Net.b, forward); others ended without "
      "it");
}

TEST_CASE("the line of a rank that failed before its launcher ended the others") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  cancel(job, 2);
  job.exit(1, 1, 1);
  CHECK(
      judged(job, 1000).line ==
      "rank 1 exited with status 1, last call all_reduce #1 of world [0-2] for Net.a; then the job was ended "
      "(SIGTERM)");
  job.end(1, ExitKind::kKilled, std::nullopt, 0);
  CHECK(
      judged(job, 1000).line ==
      "rank 1 crashed or was killed, last call all_reduce #1 of world [0-2] for Net.a; then the job was ended "
      "(SIGTERM)");
}

TEST_CASE("a line has at most 160 columns, whatever the names are") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 2}) {
    job.issue(rank, Kind::kAllReduce, "Model." + std::string(200, 'x') + ".attention");
  }
  const Verdict verdict = judged(job);
  CHECK(has(verdict.line, "xxx.attention, forward)"));
  const std::string text = whyText(verdict, Color::none());
  CHECK(text.find('\n') <= 160);
  CHECK(has(text, std::string(200, 'x'))); // the rank's line has all of it
  HangJob calls(3);
  for (const int64_t rank : {0, 1, 2}) {
    calls.issue(rank, rank == 1 ? Kind::kAllGather : Kind::kAllReduce, "Model.layers.11.self_attention.out");
  }
  const std::string sides = whyText(judged(calls), Color::none());
  CHECK(sides.find('\n') <= 160);
  CHECK(sides.find("\n  cause") <= 320);
}

TEST_CASE("a group without a description is not a bare number, and a later attempt is named") {
  HangJob job(2);
  job.addGroup("1", {0, 1});
  job.issue(0, Kind::kAllReduce, "Net.a", "1");
  job.report(0).job.attempt = job.report(1).job.attempt = 2;
  const std::string text = whyText(judged(job), Color::none());
  CHECK(has(text, "all_reduce #1 of group 1 [0-1]"));
  CHECK(text.starts_with("attempt 2: stuck: "));
}

TEST_CASE("an alarm and a warning have colours of their own") {
  Verdict verdict;
  verdict.line = "a line";
  verdict.status = HangStatus::kStuck;
  const std::string stuck = whyText(verdict, Color::always());
  verdict.status = HangStatus::kWrong;
  const std::string wrong = whyText(verdict, Color::always());
  CHECK(stuck.starts_with("\x1b[1;31mstuck: a line"));
  CHECK(wrong.starts_with("\x1b[1;33mwrong: a line"));
}

TEST_CASE("the line of a call that earlier steps had there says that it may come later") {
  HangJob job(3);
  for (int step = 0; step < 3; ++step) {
    for (const char* module : {"Net.a", "Net.b", "Net.c", "Net.d"}) {
      job.issueOnAll(module == std::string("Net.c") ? Kind::kAllGather : Kind::kAllReduce, module);
    }
  }
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issueOnAll(Kind::kAllReduce, "Net.b");
  for (const int64_t rank : {0, 1, 2}) {
    job.issue(rank, rank == 1 ? Kind::kAllReduce : Kind::kAllGather, rank == 1 ? "Net.d" : "Net.c");
  }
  const std::string skipped = "rank 1 skipped all_gather #15 of world [0-2] (64 B for Net.c, forward), or ";
  const std::string made = ": it made all_reduce of 64 B for Net.d, forward in its place (inferred)";
  CHECK(judged(job).line == skipped + "will make it later" + made);
  for (const int64_t rank : {0, 1, 2}) {
    job.end(rank, ExitKind::kKilled, std::nullopt, 0);
  }
  CHECK(judged(job).line == skipped + "had yet to make it" + made);
}

TEST_CASE("the line of two calls in another order") {
  HangJob job(3);
  for (const int64_t rank : {0, 1, 2}) {
    job.issue(rank, rank == 1 ? Kind::kAllGather : Kind::kAllReduce, rank == 1 ? "Net.b" : "Net.a");
    job.issue(rank, rank == 1 ? Kind::kAllReduce : Kind::kAllGather, rank == 1 ? "Net.a" : "Net.b");
  }
  CHECK(
      judged(job).line ==
      "ranks made two collectives in another order, from #1 of world [0-2] on: ranks 0,2: all_reduce of 64 B for "
      "Net.a, "
      "forward; rank 1: all_gather of 64 B for Net.b, forward");
}

TEST_CASE("the line of ranks whose reports are elsewhere does not say what they have entered") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(0).last.back().state = LastState::kCompleted;
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.issue(1, Kind::kAllReduce, "Net.b");
  job.remove(2);
  CHECK(
      judged(job).line ==
      "cannot tell: rank 0 may wait in all_reduce #2 of world [0-2] (64 B for Net.b, forward) for rank 2, which has no "
      "report here: name all folders of the job; no rank here made progress for 1.00 min");
  CHECK(
      has(whyText(judged(job), Color::none()),
          "\n          rank 0 may wait in all_reduce #2 of world [0-2] of Net.b for rank 2;"));
  for (const int64_t rank : {0, 1}) {
    job.report(rank).last.back().state = LastState::kIssued;
  }
  CHECK(
      judged(job).line ==
      "rank 0 waits in all_reduce #2 of world [0-2] (64 B for Net.b, forward) for rank 2, which has no report here: "
      "name all folders of the job; others have waited for 1.02 min");
  HangJob failed(2);
  failed.issue(0, Kind::kAllReduce, "Net.a");
  failed.exit(0, 1, 2);
  failed.remove(1);
  CHECK(
      judged(failed).line ==
      "cannot tell: rank 0 exited with status 1, and no rank here is known to have waited (without the reports of 1 of "
      "2 "
      "ranks)");
}

TEST_CASE("the line of a job in which no rank waits names the ranks that are stopped, or have exited") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.look(1).is_stopped = true;
  CHECK(
      judged(job).line ==
      "rank 1 is stopped (SIGSTOP or a debugger), last call all_reduce #1 of world [0-1] for Net.a; no rank made "
      "progress "
      "for 1.00 min");
  job.look(1).is_stopped = false;
  for (const int64_t rank : {0, 1}) {
    job.report(rank).last.back().state = LastState::kCompleted;
  }
  job.exit(0, 0, 1);
  CHECK(
      judged(job).line ==
      "cannot tell: rank 0 has exited; no rank waits for another, and none made progress for 59.0 s");
}

TEST_CASE("a job whose ranks exited well after their launcher's signal was ended by it") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 1}) {
    job.exit(rank, 0, 90);
    job.report(rank).job.signal_sent_at_ns = job.after(2);
  }
  CHECK(judged(job, 1000).status == HangStatus::kHealthy);
  CHECK(judged(job, 1000).line == "the job was ended (its launcher's signal), 2.00 s after the last event");
}

TEST_CASE("ranks that were killed together, and those that wait in calls that differ, have rows that say so") {
  HangJob killed = lateJob(2, 1);
  killed.end(0, ExitKind::kKilled, std::nullopt, 30);
  killed.end(1, ExitKind::kKilled, std::nullopt, 30);
  CHECK(
      has(whyText(judged(killed), Color::none()),
          "  cause   rank 1 was killed with the others, last call all_reduce #1 of world [0-1] for Net.a;"));
  HangJob differ(2);
  differ.issue(0, Kind::kAllReduce, "Net.a");
  differ.issue(1, Kind::kBarrier, "Global");
  CHECK(has(whyText(judged(differ), Color::none()), "rank 1 waits in barrier #1 of world [0-1] of Global (sleeps)"));
}

TEST_CASE("the line says how many ranks have no report, unless it names them") {
  HangJob job(4);
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.report(rank).job.world_size = 4;
  }
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(0).last.back().state = LastState::kCompleted;
  CHECK(judged(job, 0).line == "the ranks make progress");
  job.remove(3);
  CHECK(judged(job, 1).line == "the last event was 2.00 s ago (without the reports of 1 of 4 ranks)");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.issue(1, Kind::kAllReduce, "Net.b");
  job.issue(2, Kind::kAllReduce, "Net.b");
  CHECK(has(judged(job).line, "no report here"));
  CHECK_FALSE(has(judged(job).line, "without the reports"));
}

TEST_CASE("the line of a call that all ranks have issued says which call to NCCL has not returned") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(1).open_calls = {{"ncclAllReduce", "world", job.after(0)}};
  CHECK(
      judged(job).line ==
      "cannot tell: all ranks have issued all_reduce #1 of world [0-1] (64 B for Net.a, forward); rank 1 is inside "
      "ncclAllReduce, which has not returned for 1.00 min");
}

TEST_CASE("the line of a rank whose child computes names the child") {
  HangJob job(2);
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.look(1).child_computes = true;
  CHECK(
      judged(job).line ==
      "cannot tell: a child process of rank 1 computes, and the last event of a rank was 1.00 min ago");
}

TEST_CASE("names from the job are made safe, and the JSON has them as they are") {
  HangJob job(2);
  job.issue(0, Kind::kAllReduce, "Net.\x1b[31m");
  const Verdict verdict = judged(job);
  CHECK(has(verdict.line, "Net.\\x1b[31m"));
  CHECK(nlohmann::json::parse(jsonDocument(verdict))["call"]["module"] == "Net.\x1b[31m");
}

} // namespace
} // namespace commtap
