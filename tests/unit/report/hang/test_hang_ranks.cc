// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_ranks.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

std::vector<HangRank> rankedBy(const HangJob& job, const std::vector<int64_t>& cause, const JobEnd& end = {}) {
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const Waits waits = waitsOf(sights, groups);
  const WaitGraph graph(sights, waits, end, RankState::kNeverCame);
  return describedRanks({sights, groups, waits, graph, end, job.after(30)}, cause);
}

TEST_CASE("ranks are described with their roles, their calls and those that they wait for") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.remove(2);
  const std::vector<HangRank> ranks = rankedBy(job, {1, 2});
  REQUIRE(ranks.size() == 3);
  CHECK(ranks[0].role == RankRole::kVictim);
  CHECK(ranks[0].call->module == "Net.b");
  CHECK(ranks[0].waits_for == RankRanges{{1, 2}});
  CHECK(ranks[1].role == RankRole::kCause);
  CHECK(ranks[1].call->module == "Net.a");
  CHECK(ranks[2].state == RankState::kNeverCame);
  CHECK_FALSE(ranks[2].pid);
}

TEST_CASE("all causes are listed, and the first of the others") {
  HangJob job(300);
  const std::vector<HangRank> ranks = rankedBy(job, {299});
  REQUIRE(ranks.size() == 257);
  CHECK(ranks.back().rank == 299);
}

TEST_CASE("a rank that was killed at an unknown time is not said to have been alive until the end") {
  HangJob job(2);
  job.end(0, ExitKind::kKilled, 15, 20);
  job.end(1, ExitKind::kKilled, std::nullopt, 0);
  JobEnd end;
  end.alive = {0, 1};
  CHECK(rankedBy(job, {}, end)[0].state == RankState::kKilled);
  end.at_ns = job.after(20);
  CHECK(rankedBy(job, {}, end)[0].state == RankState::kEnded);
  CHECK(rankedBy(job, {}, end)[1].state == RankState::kKilled);
}

TEST_CASE("a call to NCCL that has not returned is timed until the job's end") {
  HangJob job(1);
  job.report(0).open_calls = {{"ncclAllReduce", "", job.after(10)}};
  CHECK(rankedBy(job, {})[0].open_s == doctest::Approx(20));
  job.report(0).job.exit = ExitKind::kKilled;
  CHECK(rankedBy(job, {})[0].open_s == 0);
  CHECK(rankedBy(job, {})[0].open_call == "ncclAllReduce");
}

} // namespace
} // namespace commtap
