// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/wait_graph.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

/// A graph of some ranks that wait as given.
WaitGraph graphOf(const HangJob& job, const std::map<int64_t, std::vector<int64_t>>& blockers, const JobEnd& end = {}) {
  const std::vector<RankSight> sights = job.sights();
  static const LastCollective call; // no message
  Waits waits;
  for (const auto& [rank, others] : blockers) {
    waits[rank].call = &call;
    waits[rank].blockers = others;
  }
  return {sights, waits, end, RankState::kNeverCame};
}

using Ranks = std::vector<int64_t>;

TEST_CASE("a chain ends at the rank that waits for none, and the others are its victims") {
  const WaitGraph graph = graphOf(HangJob(4), {{0, {1}}, {1, {2, 3}}, {3, {2}}});
  CHECK(graph.ends() == Ranks{2});
  CHECK(graph.cycle().empty());
  CHECK(graph.victimsOf({2}) == std::set<int64_t>{0, 1, 3});
  CHECK(graph.stateOf(0) == RankState::kWaits);
  CHECK(graph.stateOf(2) == RankState::kBlocked);
  CHECK(graph.stateOf(9) == RankState::kNeverCame);
}

TEST_CASE("a cycle has no end") {
  const WaitGraph graph = graphOf(HangJob(4), {{0, {1}}, {1, {2}}, {2, {1}}});
  CHECK(graph.ends().empty());
  CHECK(graph.cycle() == Ranks{1, 2});
  CHECK(graph.victimsOf({1, 2}) == std::set<int64_t>{0});
}

TEST_CASE("a rank that cannot wait, or goes on, ends a chain") {
  HangJob job(3);
  job.look(1).is_stopped = true;
  job.look(2).has_moved = true;
  const WaitGraph graph = graphOf(job, {{0, {1}}, {1, {0}}, {2, {0}}});
  CHECK(graph.stateOf(1) == RankState::kStopped);
  CHECK(graph.stateOf(2) == RankState::kRuns);
  CHECK(graph.ends() == Ranks{1});
}

TEST_CASE("a dead rank waited only for ranks that were dead") {
  HangJob job(3);
  job.report(1).job.exit = ExitKind::kNormal;
  job.report(2).job.exit = ExitKind::kSignal;
  const WaitGraph graph = graphOf(job, {{0, {1}}, {1, {2}}, {2, {0}}});
  CHECK(graph.stateOf(1) == RankState::kExited);
  CHECK(graph.stateOf(2) == RankState::kKilled);
  CHECK(graph.ends() == Ranks{2});
  CHECK(graph.hasRunning());
}

TEST_CASE("a rank that was alive when the job was ended waits as it did then, or its state is not known") {
  HangJob job(4);
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.end(rank, ExitKind::kKilled, 15, 20);
  }
  job.report(3).open_calls = {{"ncclAllReduce", "", 5}};
  JobEnd end;
  end.alive = {0, 1, 2, 3};
  const WaitGraph graph = graphOf(job, {{0, {1}}, {1, {2, 3}}}, end);
  CHECK(graph.stateOf(0) == RankState::kWaits);
  CHECK(graph.stateOf(1) == RankState::kWaits);
  CHECK(graph.stateOf(2) == RankState::kEnded);
  CHECK(graph.stateOf(3) == RankState::kWaits);
  CHECK(graph.ends() == Ranks{2, 3});
  CHECK(graphOf(job, {{0, {1}}, {1, {2}}}).stateOf(0) == RankState::kKilled);
}

TEST_CASE("a rank that finished did not wait for a rank without a report") {
  HangJob job(3);
  job.exit(0, 0, 5);
  job.exit(1, 1, 5);
  job.remove(2);
  const WaitGraph graph = graphOf(job, {{0, {2}}, {1, {2}}});
  CHECK(graph.blockersOf(0).empty());
  CHECK(graph.blockersOf(1) == Ranks{2});
}

TEST_CASE("a rank in a call to NCCL waits there, unless it makes progress or is stopped") {
  HangJob job(4);
  for (const int64_t rank : {1, 2, 3}) {
    job.report(rank).open_calls = {{"ncclCommInitRank", "", 5}};
  }
  job.look(2).has_moved = true;
  job.look(3).is_stopped = true;
  const WaitGraph graph = graphOf(job, {{0, {1}}});
  CHECK(graph.stateOf(1) == RankState::kWaits);
  CHECK(graph.stateOf(2) == RankState::kRuns);
  CHECK(graph.stateOf(3) == RankState::kStopped);
  CHECK(graph.ends() == Ranks{1});
}

TEST_CASE("a process of another machine that does not wait is not known to sleep") {
  HangJob job(2);
  job.look(1).is_here = false;
  CHECK(graphOf(job, {{0, {1}}}).stateOf(1) == RankState::kUnknown);
  job.look(1).is_here = true;
  job.look(1).cpu_share = 1;
  CHECK(graphOf(job, {{0, {1}}}).stateOf(1) == RankState::kRuns);
  job.look(1).cpu_share = 0;
  job.look(1).is_runnable = true; // on a machine with too little processors
  CHECK(graphOf(job, {{0, {1}}}).stateOf(1) == RankState::kRuns);
}

} // namespace
} // namespace commtap
