// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_waits.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

std::vector<int64_t> blockersOf(const HangJob& job, int64_t rank) {
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const Waits waits = waitsOf(sights, groups);
  const auto found = waits.find(rank);
  return found == waits.end() ? std::vector<int64_t>() : found->second.blockers;
}

TEST_CASE("a rank waits for those that have not issued its collective") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  CHECK(blockersOf(job, 0).empty());
  job.issue(0, Kind::kAllReduce, "Net.b");
  CHECK(blockersOf(job, 0) == std::vector<int64_t>{1, 2});
  job.report(0).last.back().state = LastState::kCompleted;
  CHECK(blockersOf(job, 0).empty());
}

TEST_CASE("only the root of a reduce or gather waits, and all wait for the root of a broadcast or scatter") {
  for (const Kind kind : {Kind::kReduce, Kind::kGather, Kind::kBroadcast, Kind::kScatter}) {
    const bool root_waits = kind == Kind::kReduce || kind == Kind::kGather;
    HangJob job(3);
    job.issue(1, kind, "Net.a").root = 1;
    CHECK(blockersOf(job, 1) == (root_waits ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{}));
    HangJob other(3);
    other.issue(0, kind, "Net.a").root = 1;
    CHECK(blockersOf(other, 0) == (root_waits ? std::vector<int64_t>{} : std::vector<int64_t>{1}));
  }
}

TEST_CASE("a receive waits for its send, wherever it stands among the calls") {
  HangJob job(3);
  job.message(0, Kind::kRecv, 1);
  job.message(0, Kind::kSend, 2);
  job.message(2, Kind::kRecv, 0);
  CHECK(blockersOf(job, 0) == std::vector<int64_t>{1});
  job.message(1, Kind::kSend, 0);
  CHECK(blockersOf(job, 0).empty());
}

TEST_CASE("a last message of which earlier ones are not known waits, unless the other side's last one meets it") {
  HangJob job(2);
  job.message(0, Kind::kRecv, 1);
  job.report(0).groups.front().point_to_point += 5000; // as if the ring had turned
  job.report(1).groups.front().point_to_point += 5000;
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const Waits waits = waitsOf(sights, groups);
  REQUIRE(waits.contains(0));
  CHECK(waits.at(0).blockers == std::vector<int64_t>{1});
  CHECK(waits.at(0).inferred);
  job.message(1, Kind::kSend, 0);
  CHECK(blockersOf(job, 0).empty());
}

TEST_CASE("a receive from any rank waits for all others") {
  HangJob job(3);
  job.message(0, Kind::kRecv, 0).peer.reset();
  CHECK(blockersOf(job, 0) == std::vector<int64_t>{1, 2});
}

TEST_CASE("a collective is passed once all ranks have issued it and one has gone on") {
  HangJob job(3);
  const auto is_passed = [&job](size_t rank) {
    const std::vector<RankSight> sights = job.sights();
    const HangGroups groups(sights);
    const HangMember& member = groups.all()[0].members[rank];
    return isPassed(groups.all()[0], member, *member.calls.back());
  };
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kAllReduce, "Net.b");
  CHECK_FALSE(is_passed(0)); // rank 2 has not issued it
  job.issue(2, Kind::kAllReduce, "Net.a");
  CHECK(is_passed(0));
  CHECK_FALSE(is_passed(1));
  CHECK(is_passed(2));
}

TEST_CASE("a message is not passed by what other ranks do") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issueOnAll(Kind::kAllReduce, "Net.b");
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const HangMember& member = groups.all()[0].members[0];
  CHECK_FALSE(isPassed(groups.all()[0], member, *member.messages.back()));
}

TEST_CASE("the first missing collective is the one that another rank issued first") {
  HangJob job(3);
  job.issue(1, Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.a");
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  int64_t rank = -1;
  const LastCollective* missing = firstMissing(groups.all()[0], groups.all()[0].members[2], rank);
  REQUIRE(missing != nullptr);
  CHECK(rank == 1);
  CHECK(missing->sequence == 1);
  CHECK(firstMissing(groups.all()[0], groups.all()[0].members[0], rank) == nullptr);
}

} // namespace
} // namespace commtap
