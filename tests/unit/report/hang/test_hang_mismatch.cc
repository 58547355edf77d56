// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_mismatch.h"

#include <doctest/doctest.h>

#include <functional>

#include "report/model/stretches.h"
#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

/// Returns the mismatches of a job whose groups live as long as the job.
struct Found {
  explicit Found(const HangJob& job) : sights(job.sights()), groups(sights), mismatches(mismatchesOf(groups)) {}

  std::vector<RankSight> sights;
  HangGroups groups;
  std::vector<Mismatch> mismatches;
};

TEST_CASE("the reason names what differs") {
  const std::vector<std::pair<HangReason, std::function<void(LastCollective&)>>> differences = {
      {HangReason::kOp, [](LastCollective& call) { call.op = "c10d.reduce_"; }},
      {HangReason::kSize, [](LastCollective& call) { call.bytes = 128; }},
      {HangReason::kDtype, [](LastCollective& call) { call.dtype = "int64"; }},
      {HangReason::kReduceOp, [](LastCollective& call) { call.reduce_op = "max"; }},
      {HangReason::kRoot, [](LastCollective& call) { call.root = 1; }},
  };
  for (const auto& [reason, change] : differences) {
    HangJob job(3);
    job.issueOnAll(Kind::kAllReduce, "Net.a");
    job.issueOnAll(Kind::kAllReduce, "Net.b");
    change(job.report(1).last.back());
    const Found found(job);
    REQUIRE(found.mismatches.size() == 1);
    const Mismatch& mismatch = found.mismatches[0];
    CHECK(mismatch.reason == reason);
    CHECK(mismatch.sequence == 2);
    CHECK(mismatch.cause == std::vector<int64_t>{1});
    CHECK(mismatch.sides[0].ranks == std::vector<int64_t>{0, 2});
  }
}

TEST_CASE("a difference in one of many equal calls is no call too much") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.report(1).last.back().reduce_op = "max";
  for (int i = 0; i < 3; ++i) {
    job.issueOnAll(Kind::kAllReduce, "Net.a");
  }
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kReduceOp);
  CHECK(found.mismatches[0].sequence == 2);
}

TEST_CASE("payloads of all_to_all and everything of other ops may differ") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllToAll, "Net.a");
  job.report(1).last.back().bytes = 1;
  job.issueOnAll(Kind::kOther, "Net.b");
  job.report(1).last.back().op = "mine.op";
  CHECK(Found(job).mismatches.empty());
}

TEST_CASE("of two ranks both are the cause, unless what came before decides") {
  HangJob job(2);
  job.issue(0, Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kBroadcast, "Net.b");
  CHECK(Found(job).mismatches[0].cause == std::vector<int64_t>{0, 1});
  CHECK(Found(job).mismatches[0].reason == HangReason::kOp);

  HangJob pattern(2);
  for (int step = 0; step < 3; ++step) {
    for (const char* module : {"Net.a", "Net.b", "Net.c", "Net.d"}) {
      pattern.issueOnAll(module == std::string("Net.c") ? Kind::kAllGather : Kind::kAllReduce, module);
    }
  }
  pattern.issueOnAll(Kind::kAllReduce, "Net.a");
  pattern.issueOnAll(Kind::kAllReduce, "Net.b");
  pattern.issue(0, Kind::kAllGather, "Net.c");
  pattern.issue(1, Kind::kAllReduce, "Net.d");
  const Found found(pattern);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kSkipped);
  CHECK(found.mismatches[0].cause == std::vector<int64_t>{1});
}

TEST_CASE("a rank that goes on one call ahead left one out; one that is behind made one more") {
  for (const bool extra : {false, true}) {
    HangJob job(3);
    const std::vector<const char*> modules = {"Net.a", "Net.b", "Net.c", "Net.d", "Net.e"};
    for (size_t i = 0; i < modules.size(); ++i) {
      for (const int64_t rank : {0, 1, 2}) {
        if (rank == 1 && extra && i == 1) {
          job.issue(1, Kind::kBarrier, "Global");
        }
        if (rank != 1 || extra || i != 1) {
          job.issue(rank, Kind::kAllReduce, modules[i]).bytes = 8 * (i + 1);
        }
      }
    }
    const Found found(job);
    REQUIRE(found.mismatches.size() == 1);
    CHECK(found.mismatches[0].reason == (extra ? HangReason::kExtra : HangReason::kSkipped));
    CHECK(found.mismatches[0].cause == std::vector<int64_t>{1});
    CHECK(found.mismatches[0].sequence == 2);
  }
}

TEST_CASE("of two ranks, a call that no rank made before is extra, and one that ranks made is skipped") {
  for (const bool is_new : {false, true}) {
    HangJob job(2);
    for (int step = 0; step < 2; ++step) {
      for (const char* module : {"Net.a", "Net.b", "Net.c", "Net.d"}) {
        job.issueOnAll(module == std::string("Net.b") ? Kind::kAllGather : Kind::kAllReduce, module);
      }
    }
    job.issueOnAll(Kind::kAllReduce, "Net.a");
    job.issue(0, is_new ? Kind::kBarrier : Kind::kAllGather, is_new ? "Global" : "Net.b");
    for (const char* module : {"Net.c", "Net.d"}) {
      job.issueOnAll(Kind::kAllReduce, module);
    }
    const Found found(job);
    REQUIRE(found.mismatches.size() == 1);
    CHECK(found.mismatches[0].reason == (is_new ? HangReason::kExtra : HangReason::kSkipped));
    CHECK(found.mismatches[0].cause == std::vector<int64_t>{is_new ? 0 : 1});
    CHECK(found.mismatches[0].is_proven);
  }
}

TEST_CASE("of two ranks in their first step, neither is known to have made too much or too little") {
  HangJob job(2);
  job.issue(0, Kind::kBarrier, "Global");
  for (const char* module : {"Net.a", "Net.b", "Net.c"}) {
    job.issueOnAll(Kind::kAllReduce, module);
  }
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kOp);
  CHECK(found.mismatches[0].cause == std::vector<int64_t>{0, 1});
}

TEST_CASE("two calls that ranks made in another order have a reason of their own") {
  HangJob job(3);
  for (const int64_t rank : {0, 1, 2}) {
    job.issue(rank, rank == 1 ? Kind::kAllGather : Kind::kAllReduce, rank == 1 ? "Net.b" : "Net.a");
    job.issue(rank, rank == 1 ? Kind::kAllReduce : Kind::kAllGather, rank == 1 ? "Net.a" : "Net.b");
  }
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kOrder);
  CHECK(found.mismatches[0].cause == std::vector<int64_t>{1});
}

TEST_CASE("a call that only earlier steps show as skipped is not proven") {
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
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kSkipped);
  CHECK_FALSE(found.mismatches[0].is_proven);
}

TEST_CASE("an argument of the same call of a module is named, and not a call that was skipped") {
  const std::vector<std::pair<HangReason, std::function<void(LastCollective&)>>> differences = {
      {HangReason::kSize, [](LastCollective& call) { call.bytes = 48; }},
      {HangReason::kRoot, [](LastCollective& call) { call.root = 1; }},
  };
  for (const auto& [reason, change] : differences) {
    HangJob job(3);
    for (int step = 0; step < 5; ++step) {
      job.issueOnAll(Kind::kBroadcast, "Global");
    }
    change(job.report(1).last.back());
    const Found found(job);
    REQUIRE(found.mismatches.size() == 1);
    CHECK(found.mismatches[0].reason == reason);
    CHECK(found.mismatches[0].sequence == 5);
    CHECK(found.mismatches[0].cause == std::vector<int64_t>{1});
    CHECK(found.mismatches[0].is_proven);
  }
}

TEST_CASE("a call that one rank makes besides equal ones is not a skipped one") {
  HangJob job(3);
  for (int step = 0; step < 5; ++step) {
    job.issueOnAll(Kind::kAllReduce, "Net");
  }
  for (const int64_t rank : {0, 1, 2}) {
    job.issue(rank, rank == 0 ? Kind::kAllGather : Kind::kAllReduce, rank == 0 ? "Global" : "Net");
  }
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kOp);
  CHECK(found.mismatches[0].cause == std::vector<int64_t>{0});
}

TEST_CASE("a layer that was left out is found by its module, if the next one is equal") {
  HangJob job(3);
  for (int step = 0; step < 2; ++step) {
    for (const char* module : {"Net.0", "Net.1", "Net.2", "Net.3"}) {
      for (const int64_t rank : {0, 1, 2}) {
        if (step == 0 || rank != 1 || module != std::string("Net.1")) {
          job.issue(rank, Kind::kAllGather, module);
        }
      }
    }
  }
  CHECK(Found(job).mismatches.empty()); // modules alone prove nothing
  job.issue(0, Kind::kBarrier, "Global");
  job.issue(2, Kind::kBarrier, "Global");
  job.issue(1, Kind::kBarrier, "Global");
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kSkipped);
  CHECK(found.mismatches[0].sequence == 6);
  CHECK(found.mismatches[0].cause == std::vector<int64_t>{1});
  CHECK(found.mismatches[0].sides[0].call->module == "Net.1");
}

TEST_CASE("ranks whose modules never agreed are compared by what they made alone") {
  HangJob job(3);
  for (int step = 0; step < 3; ++step) {
    for (const int64_t rank : {0, 1, 2}) {
      job.issue(rank, Kind::kAllGather, "Stage" + std::to_string(rank));
    }
  }
  for (const int64_t rank : {0, 1, 2}) {
    job.issue(rank, rank == 1 ? Kind::kBarrier : Kind::kAllGather, "Net");
  }
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kOp);
  CHECK(found.mismatches[0].sequence == 4);
}

TEST_CASE("ranks that differ beyond the calls of the first rank are found, and it is on neither side") {
  HangJob job(3);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(1, Kind::kAllReduce, "Net.b");
  job.issue(2, Kind::kAllGather, "Net.b");
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].sequence == 2);
  CHECK(found.mismatches[0].sides[0].ranks == std::vector<int64_t>{1});
  CHECK(found.mismatches[0].sides[1].ranks == std::vector<int64_t>{2});
}

TEST_CASE("a send and a receive that meet and differ are unmatched") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1);
  job.message(1, Kind::kRecv, 0);
  CHECK(Found(job).mismatches.empty());
  job.message(0, Kind::kSend, 1);
  job.message(1, Kind::kRecv, 0).bytes = 128;
  const Found found(job);
  REQUIRE(found.mismatches.size() == 1);
  CHECK(found.mismatches[0].reason == HangReason::kUnmatched);
  CHECK(found.mismatches[0].cause == std::vector<int64_t>{0, 1});
}

TEST_CASE("the first stretch that differs is found, in what all ranks have completed") {
  HangJob job(3);
  for (const int64_t rank : {0, 1, 2}) {
    Group& group = job.report(rank).groups.front();
    group.collectives = 3 * kStretchCalls + 10;
    group.stretches = {5, rank == 2 ? 6 : 7, rank == 2 ? 8 : 9, 10 + rank};
  }
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const auto found = divergenceOf(groups.all()[0]);
  REQUIRE(found);
  CHECK(found->from == kStretchCalls + 1);
  CHECK(found->to == 2 * kStretchCalls);
  CHECK(found->ranks == RankRanges{{2, 2}});
  for (const int64_t rank : {0, 1, 2}) {
    job.report(rank).groups.front().stretches = {5, 7, 9, 10 + rank}; // the last stretch is not complete
  }
  const std::vector<RankSight> equal = job.sights();
  CHECK_FALSE(divergenceOf(HangGroups(equal).all()[0]));
}

TEST_CASE("a stretch to which threads may still add is not compared") {
  HangJob job(2);
  for (const uint64_t issued : {kStretchCalls, kStretchCalls + 63, kStretchCalls + 64}) {
    for (const int64_t rank : {0, 1}) {
      job.report(rank).groups.front().collectives = issued;
      job.report(rank).groups.front().stretches = {5 + rank, 9};
    }
    const std::vector<RankSight> sights = job.sights();
    CHECK(divergenceOf(HangGroups(sights).all()[0]).has_value() == (issued == kStretchCalls + 64));
  }
}

TEST_CASE("rows that two ranks count differently are listed, up to a limit") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  job.issue(0, Kind::kAllReduce, "Net.c");
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const std::vector<HangCount> counts = countsOf(comparedRanks(groups.all()[0], {1}), 5);
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].module == "Net.b");
  CHECK(counts[0].cause_count == 0);
  CHECK(counts[0].others_count == 1);
  CHECK(countsOf(comparedRanks(groups.all()[0], {1}), 1).size() == 1);
  CHECK(countsOf(comparedRanks(groups.all()[0], {0, 1}), 5).empty());
}

} // namespace
} // namespace commtap
