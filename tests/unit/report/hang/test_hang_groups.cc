// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_groups.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

TEST_CASE("a group has its members by place, also those without a report") {
  HangJob job(3);
  job.addGroup("tp", {2, 0});
  job.issue(2, Kind::kAllReduce, "Net.a", "tp");
  job.remove(1);
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  REQUIRE(groups.all().size() == 2);
  const HangGroup& world = *groups.groupOf(*sights[0].report, "world");
  REQUIRE(world.members.size() == 3);
  CHECK(world.members[1].rank == 1);
  CHECK(world.members[1].sight == nullptr);
  CHECK(world.ranks() == RankRanges{{0, 2}});
  const HangGroup& tp = *groups.groupOf(*sights[1].report, "tp");
  CHECK(tp.members[0].rank == 2);
  CHECK(tp.members[0].issued() == 1);
  CHECK(tp.members[0].call(1)->module == "Net.a");
  CHECK(tp.members[0].call(2) == nullptr);
  CHECK(tp.memberOf(1) == nullptr);
  CHECK(groups.groupOf(*sights[0].report, "?") == nullptr);
}

TEST_CASE("groups of one name and other ranks are different groups") {
  HangJob job(4);
  job.addGroup("1", {0, 1});
  job.addGroup("1", {2, 3});
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  CHECK(groups.groupOf(*sights[0].report, "1") != groups.groupOf(*sights[2].report, "1"));
}

TEST_CASE("a group made again is another group, matched between ranks by its turn") {
  HangJob job(3);
  job.addGroup("1", {0, 1});
  job.addGroup("1", {0, 2});
  job.report(0).groups.back().name = "1#2"; // rank 0 had another group of this name before
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  CHECK(groups.groupOf(*sights[0].report, "1#2") == groups.groupOf(*sights[2].report, "1"));
  CHECK(groups.groupOf(*sights[0].report, "1#2") != groups.groupOf(*sights[0].report, "1"));
}

TEST_CASE("a group whose ranks are not known has the ranks with a report") {
  HangJob job(3);
  for (const int64_t rank : {0, 1, 2}) {
    job.report(rank).groups.front().ranks.clear();
  }
  job.remove(1);
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  REQUIRE(groups.all().size() == 1);
  CHECK(groups.all()[0].ranks() == RankRanges{{0, 0}, {2, 2}});
}

TEST_CASE("roots and peers of a call are global ranks") {
  HangJob job(4);
  job.addGroup("tp", {3, 1});
  job.issue(3, Kind::kBroadcast, "Net.a", "tp").root = 1;
  job.message(1, Kind::kSend, 0, "tp");
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const HangGroup& tp = *groups.groupOf(*sights[3].report, "tp");
  CHECK(hangCallOf(tp, 3, *tp.members[0].call(1)).root == 1);
  CHECK(hangCallOf(tp, 1, *tp.members[1].messages.front()).peer == 3);
}

TEST_CASE("of the processes, the newest run's last attempt counts, one per rank") {
  HangJob job(2);
  job.issue(0, Kind::kAllReduce, "Net.a");
  Report old = job.report(0);
  old.job.run_id = "old";
  old.job.started_at_ns -= 1;
  Report helper = job.report(0);
  helper.groups.front().collectives = 0;
  Report first = job.report(0);
  first.job.attempt = -1;
  Report launcher = job.report(0);
  launcher.job.rank.reset();
  const std::vector<const Report*> all = {&old, &helper, &first, &launcher, &job.report(0), &job.report(1)};
  CHECK(oneProcessPerRank(all) == std::vector<const Report*>{&job.report(0), &job.report(1)});
  CHECK(oneProcessPerRank({}).empty());
}

TEST_CASE("all ranks have joined a group once a collective completed, or a rank issued its second one") {
  HangJob job(2);
  const auto have_joined = [&job] {
    const std::vector<RankSight> sights = job.sights();
    return HangGroups(sights).all()[0].haveAllJoined();
  };
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.remove(1);
  CHECK_FALSE(have_joined());
  job.report(0).last.back().state = LastState::kCompleted;
  CHECK(have_joined());
  job.report(0).last.back().state = LastState::kReturned;
  job.issue(0, Kind::kAllReduce, "Net.b");
  CHECK(have_joined());
}

} // namespace
} // namespace commtap
