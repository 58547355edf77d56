// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/group_lag.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

Report reportOf(int64_t rank, std::vector<Group> groups, std::vector<LastCollective> last = {}) {
  Report report;
  report.job.run_id = "run";
  report.job.rank = rank;
  report.groups = std::move(groups);
  report.last = std::move(last);
  return report;
}

std::vector<GroupLag> lagsOfAll(const std::vector<Report>& reports) {
  std::vector<const Report*> pointers;
  for (const Report& report : reports) {
    pointers.push_back(&report);
  }
  return lagsOf(pointers);
}

Group group(const char* name, std::vector<uint32_t> ranks, uint64_t collectives) {
  Group group;
  group.name = name;
  group.size = static_cast<uint32_t>(ranks.size());
  group.ranks = std::move(ranks);
  group.collectives = collectives;
  return group;
}

LastCollective last(const char* group, uint64_t sequence, Kind kind, const char* module) {
  LastCollective last;
  last.group = group;
  last.sequence = sequence;
  last.kind = kind;
  last.module = module;
  return last;
}

TEST_CASE("the rank with the fewest collectives comes first, with its last collective in the group") {
  const std::vector<Report> reports = {
      reportOf(0, {group("0", {0, 1, 2}, 12)}, {last("0", 12, Kind::kAllReduce, "net.b")}),
      reportOf(
          1,
          {group("0", {0, 1, 2}, 10)},
          {last("0", 10, Kind::kAllReduce, "net.a"),
           last("1", 4, Kind::kAllGather, "x"),
           last("0", 3, Kind::kSend, "y")}),
      reportOf(2, {group("0", {0, 1, 2}, 12)})};
  const std::vector<GroupLag> lags = lagsOfAll(reports);
  REQUIRE(lags.size() == 1);
  CHECK(lags[0].size() == 2);
  REQUIRE(lags[0].members.size() == 3);
  CHECK(lags[0].members[0].rank == 1);
  REQUIRE(lags[0].members[0].last);
  CHECK(lags[0].members[0].last->module == "net.a");
  CHECK_FALSE(lags[0].members[2].last);
  CHECK_FALSE(lags[0].missing);
}

TEST_CASE("the collective that the last rank has not issued comes from another rank's report") {
  const std::vector<Report> reports = {
      reportOf(0, {group("0", {0, 1}, 9)}, {last("0", 8, Kind::kAllGather, "net.b"), last("0", 9, Kind::kBarrier, "")}),
      reportOf(1, {group("0", {0, 1}, 7)}, {last("0", 7, Kind::kAllReduce, "net.a")})};
  const std::vector<GroupLag> lags = lagsOfAll(reports);
  REQUIRE(lags.size() == 1);
  REQUIRE(lags[0].missing);
  CHECK(lags[0].missing->kind == Kind::kAllGather);
  CHECK(lags[0].missing->module == "net.b");
}

TEST_CASE("equal ranks, groups of other ranks and other runs are not a lag") {
  Report other_run = reportOf(0, {group("0", {0, 1}, 99)});
  other_run.job.run_id = "another";
  const std::vector<Report> reports = {
      reportOf(0, {group("0", {0, 1}, 12), group("tp", {0, 2}, 3)}),
      reportOf(1, {group("0", {0, 1}, 12), group("tp", {1, 3}, 5)}),
      other_run};
  CHECK(lagsOfAll(reports).empty());
}

TEST_CASE("the group that waits longest comes first, however small its lag") {
  LastCollective cause = last("b", 6, Kind::kAllReduce, "net.cause");
  cause.issued_at_ns = 100;
  LastCollective again = cause;
  again.issued_at_ns = 150;
  LastCollective victim = last("a", 2, Kind::kAllReduce, "net.victim");
  victim.issued_at_ns = 200;
  const std::vector<Report> reports = {
      reportOf(0, {group("a", {0, 1, 2}, 9), group("b", {0, 1, 2}, 6)}, {victim, again}),
      reportOf(1, {group("a", {0, 1, 2}, 1), group("b", {0, 1, 2}, 5)}),
      reportOf(2, {group("a", {0, 1, 2}, 1), group("b", {0, 1, 2}, 6)}, {cause})};
  const std::vector<GroupLag> lags = lagsOfAll(reports);
  REQUIRE(lags.size() == 2);
  CHECK(lags[0].group.name == "b");
  CHECK(lags[0].since_ns == 100);
  CHECK(lags[1].since_ns == 200);
}

TEST_CASE("a group waits if all have issued the same collective and none has completed it") {
  LastCollective call = last("0", 7, Kind::kAllReduce, "net");
  call.issued_at_ns = 100;
  LastCollective later = call;
  later.issued_at_ns = 130;
  const auto lagsWith = [&](LastState state, uint64_t second_sequence) {
    LastCollective second = later;
    second.state = state;
    second.sequence = second_sequence;
    return lagsOfAll({reportOf(0, {group("0", {0, 1}, 7)}, {call}), reportOf(1, {group("0", {0, 1}, 7)}, {second})});
  };
  const std::vector<GroupLag> stalled = lagsWith(LastState::kReturned, 7);
  REQUIRE(stalled.size() == 1);
  CHECK(stalled[0].size() == 0);
  CHECK(stalled[0].since_ns == 130);
  CHECK_FALSE(stalled[0].missing);
  CHECK(lagsWith(LastState::kCompleted, 7).empty());
  CHECK(lagsWith(LastState::kFailed, 7).empty());
  CHECK(lagsWith(LastState::kIssued, 6).empty());
}

TEST_CASE("of groups that wait equally long, the largest lag comes first") {
  const std::vector<Report> reports = {
      reportOf(0, {group("a", {0, 1}, 5), group("b", {0, 1}, 1)}),
      reportOf(1, {group("a", {0, 1}, 6), group("b", {0, 1}, 9)})};
  const std::vector<GroupLag> lags = lagsOfAll(reports);
  REQUIRE(lags.size() == 2);
  CHECK(lags[0].group.name == "b");
  CHECK(lags[0].members.front().rank == 0);
  CHECK(lags[1].group.name == "a");
}

} // namespace
} // namespace commtap
