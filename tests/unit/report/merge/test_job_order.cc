// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_order.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

LastCollective callOf(uint64_t sequence, Kind kind, uint64_t bytes = 64) {
  LastCollective call;
  call.sequence = sequence;
  call.kind = kind;
  call.op = "c10d." + std::string(kindName(kind));
  call.dtype = "float32";
  call.bytes = bytes;
  call.module = "Net.layer";
  return call;
}

/// Four ranks of one group, which alternate all_gather and reduce_scatter with sequence numbers 1 to 10.
class OrderRanks {
 public:
  OrderRanks() {
    for (int rank = 0; rank < 4; ++rank) {
      std::vector<LastCollective>& mine = calls.emplace_back();
      for (uint64_t sequence = 1; sequence <= 10; ++sequence) {
        mine.push_back(callOf(sequence, sequence % 2 == 1 ? Kind::kAllGather : Kind::kReduceScatter));
      }
    }
  }

  std::vector<Disagreement> judge() {
    return ordered().take(groups);
  }

  /// Returns the calls of the group, which is instance 0.
  JobOrder ordered() {
    JobOrder order;
    const GroupPlace place = groups.placeOf({"0", "dp", "gloo", 4, {0, 1, 2, 3}}, {"dp", 1});
    for (size_t rank = 0; rank < calls.size(); ++rank) {
      for (const LastCollective& call : calls[rank]) {
        order.add(call, place.instance);
      }
      order.endRank(static_cast<int64_t>(rank), groups);
    }
    return order;
  }

  JobGroups groups;
  std::vector<std::vector<LastCollective>> calls; ///< by rank
};

TEST_CASE("ranks with equal calls in equal order agree, even if a rank is ahead or keeps fewer calls") {
  OrderRanks ranks;
  ranks.calls[1].resize(4);
  ranks.calls[2].erase(ranks.calls[2].begin(), ranks.calls[2].begin() + 6);
  CHECK(ranks.judge().empty());
}

TEST_CASE("the calls that a rank has not issued are known if they follow its own") {
  OrderRanks ranks;
  ranks.calls[1].resize(8);
  ranks.calls[3].resize(9);
  JobOrder order = ranks.ordered();
  CHECK(order.furthestRank(0) == 0);
  CHECK_FALSE(order.furthestRank(1));
  REQUIRE(order.missedBy(0, 1)->size() == 2);
  CHECK(order.missedBy(0, 1)->at(0).kind == Kind::kAllGather);
  CHECK(order.missedBy(0, 1)->at(0).module == "Net.layer");
  CHECK(order.missedBy(0, 3)->size() == 1);
  CHECK(order.missedBy(0, 2)->empty());
  ranks.calls[2].erase(ranks.calls[2].begin() + 8);
  ranks.calls[0].resize(8);
  ranks.calls[3].resize(8);
  CHECK_FALSE(ranks.ordered().missedBy(0, 1)); // number 9 is not known
  ranks.calls[1][0].op = "c10d.other";
  CHECK_FALSE(ranks.ordered().missedBy(0, 3)); // the order differs
}

TEST_CASE("two swapped collectives are found at the first") {
  OrderRanks ranks;
  std::swap(ranks.calls[2][4].kind, ranks.calls[2][5].kind);
  std::swap(ranks.calls[2][4].op, ranks.calls[2][5].op);
  const std::vector<Disagreement> found = ranks.judge();
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == Disagreement::What::kOrder);
  CHECK(found[0].sequence == 5);
  CHECK(found[0].members == std::vector<uint32_t>{0, 1, 2, 3});
  CHECK(found[0].kind == Kind::kAllGather);
  REQUIRE(found[0].values.size() == 2);
  CHECK(found[0].values[0].ranks == RankRanges{{0, 1}, {3, 3}});
  CHECK(found[0].values[0].call->kind == Kind::kAllGather);
  CHECK(found[0].values[0].call->module == "Net.layer");
  CHECK(found[0].values[0].bytes == 64);
  CHECK(found[0].values[1].ranks == RankRanges{{2, 2}});
  CHECK(found[0].values[1].call->kind == Kind::kReduceScatter);
}

TEST_CASE("if only the first rank differs, the other ranks are the majority") {
  OrderRanks ranks;
  ranks.calls[0].insert(ranks.calls[0].begin() + 2, callOf(3, Kind::kBroadcast));
  for (size_t i = 3; i < ranks.calls[0].size(); ++i) {
    ++ranks.calls[0][i].sequence;
  }
  const std::vector<Disagreement> found = ranks.judge();
  REQUIRE(found.size() == 1);
  CHECK(found[0].sequence == 3);
  CHECK(found[0].values[0].ranks == RankRanges{{1, 3}});
  CHECK(found[0].values[1].call->kind == Kind::kBroadcast);
}

TEST_CASE("only ranks that differ at the first differing number are listed apart") {
  OrderRanks ranks;
  ranks.calls[1][8].bytes = 1;
  ranks.calls[3][2].bytes = 2;
  const std::vector<Disagreement> found = ranks.judge();
  REQUIRE(found.size() == 1);
  CHECK(found[0].sequence == 3);
  CHECK(found[0].values[0].ranks == RankRanges{{0, 2}});
  CHECK(found[0].values[1].ranks == RankRanges{{3, 3}});
}

TEST_CASE("another reduction or root is another collective") {
  OrderRanks reductions;
  for (std::vector<LastCollective>& calls : reductions.calls) {
    calls[1].reduce_op = "sum";
  }
  reductions.calls[3][1].reduce_op = "max";
  std::vector<Disagreement> found = reductions.judge();
  REQUIRE(found.size() == 1);
  CHECK(found[0].sequence == 2);
  CHECK(found[0].values[0].call->reduce_op == "sum");
  CHECK(found[0].values[1].call->reduce_op == "max");
  OrderRanks roots;
  roots.calls[2][4].root = 1;
  found = roots.judge();
  REQUIRE(found.size() == 1);
  CHECK(found[0].sequence == 5);
  CHECK_FALSE(found[0].values[0].call->root);
  CHECK(found[0].values[1].call->root == 1);
}

TEST_CASE("modules, all_to_all splits, ops of kind other and sends may differ") {
  OrderRanks ranks;
  ranks.calls[1][3].module = "Net.other";
  for (size_t rank = 0; rank < 4; ++rank) {
    ranks.calls[rank].push_back(callOf(11, Kind::kAllToAll, 100 + rank));
    ranks.calls[rank].push_back(callOf(12, Kind::kOther, 100 + rank));
    ranks.calls[rank].push_back(callOf(1, rank % 2 == 0 ? Kind::kSend : Kind::kRecv));
  }
  CHECK(ranks.judge().empty());
}

TEST_CASE("concurrent threads, a rank's second process and a process without a rank make no disagreement") {
  OrderRanks ranks;
  std::swap(ranks.calls[1][0], ranks.calls[1][1]);
  CHECK(ranks.judge().empty());

  JobGroups groups;
  const GroupPlace place = groups.placeOf({"0", "dp", "gloo", 2, {0, 1}}, {"dp", 1});
  JobOrder order;
  order.add(callOf(1, Kind::kBarrier), place.instance);
  order.endProcess();
  order.add(callOf(1, Kind::kBroadcast), place.instance); // a second process of rank 0 with sequence numbers of its own
  order.endRank(0, groups);
  order.add(callOf(1, Kind::kReduce), place.instance);
  order.dropRank();
  order.add(callOf(1, Kind::kBarrier), place.instance);
  order.endRank(1, groups);
  CHECK(order.take(groups).empty());
}

} // namespace
} // namespace commtap
