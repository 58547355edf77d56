// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace commtap {
namespace {

Collective collective(const std::string& module, uint64_t bytes) {
  Collective row;
  row.module = row.issued_in = module;
  row.op = "c10d.allreduce_";
  row.kind = Kind::kAllReduce;
  row.count = 1;
  row.bytes = bytes;
  return row;
}

TEST_CASE("rows with equal keys are added up within a rank and spread over ranks") {
  JobRows rows;
  RankSets sets;
  for (const int64_t rank : {5, 7}) {
    rows.add(collective("a", 10), 0);
    rows.add(collective("a", static_cast<uint64_t>(rank)), 0);
    rows.endRank(sets.addSlot(rank), rank);
  }
  const std::vector<JobCollective> all = rows.take(sets);
  REQUIRE(all.size() == 1);
  CHECK(all[0].amount.ranks == 2);
  CHECK(all[0].amount.count.sum == 4);
  CHECK(all[0].amount.bytes.min == 15);
  CHECK(all[0].amount.bytes.max == 17);
  CHECK(all[0].amount.bytes.max_rank == 7);
  CHECK(sets.sets()[all[0].rank_set] == RankRanges{{5, 5}, {7, 7}});
}

TEST_CASE("members are added up over ranks, and dropped if they are not the whole row") {
  JobRows rows;
  RankSets sets;
  for (const int64_t rank : {0, 1}) {
    const std::vector<Member> members = {{0, "a.up", 7, 2}, {0, "", 3, {}}};
    rows.add(collective("a", 10), 0, members);
    rows.add(collective("b", 10), 0, std::span(members).first(rank == 0 ? 2 : 0)); // rank 1 does not know them
    rows.endRank(sets.addSlot(rank), rank);
  }
  std::vector<JobCollective> all = rows.take(sets);
  REQUIRE(all.size() == 2);
  const size_t a = all[0].module == "a" ? 0 : 1;
  REQUIRE(all[a].members.size() == 2);
  const auto padding = std::find(all[a].members.begin(), all[a].members.end(), JobMember{"", 6, {}});
  CHECK(padding != all[a].members.end());
  CHECK(std::find(all[a].members.begin(), all[a].members.end(), JobMember{"a.up", 14, 4}) != all[a].members.end());
  CHECK(all[1 - a].members.empty());
}

TEST_CASE("each part of the key makes another row; lowered ops do not") {
  JobRows rows;
  RankSets sets;
  std::vector<Collective> different(11, collective("a", 1));
  different[1].module = "b";
  different[2].issued_in = "b";
  different[3].op = "x";
  different[4].phase = Phase::kForward;
  different[5].kind = Kind::kReduce;
  different[6].dtype = "float32";
  different[7].reduce_op = "sum";
  different[8].async_op = AsyncOp::kYes;
  different[9].compiled = true;
  different[10].setup = true;
  for (const Collective& row : different) {
    rows.add(row, 0);
  }
  rows.add(different[0], 1);
  different[0].lowered = {"z", "y"};
  rows.add(different[0], 0);
  different[0].lowered = {"y"};
  rows.add(different[0], 0);
  rows.endRank(sets.addSlot(0), 0);
  const std::vector<JobCollective> all = rows.take(sets);
  CHECK(all.size() == 12);
  size_t with_lowered = 0;
  for (const JobCollective& row : all) {
    with_lowered += row.lowered == std::vector<std::string>{"y", "z"} ? 1 : 0;
  }
  CHECK(with_lowered == 1);
}

TEST_CASE("rows with different labels stay apart") {
  JobRows rows;
  Collective row;
  row.module = "Global";
  row.count = 1;
  for (const char* label : {"clip", "loss", "clip"}) {
    row.label = label;
    rows.add(row, 0);
  }
  rows.endRank(0, 0);
  RankSets sets;
  sets.addSlot(0);
  std::vector<JobCollective> all = rows.take(sets);
  REQUIRE(all.size() == 2);
  const size_t clip = all[0].label == "clip" ? 0 : 1;
  CHECK(all[clip].amount.count.sum == 2);
  CHECK(all[1 - clip].label == "loss");
}

} // namespace
} // namespace commtap
