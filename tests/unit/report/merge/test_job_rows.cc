// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include "report/job/job_columns.h"

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

TEST_CASE("split sizes and times are added up over ranks") {
  JobRows rows;
  RankSets sets;
  for (const int64_t rank : {0, 1}) {
    Collective row = collective("a", 10);
    row.time.durations = {Durations(), Durations{1, 70, 70, 70, {}}, Durations{1, 50, 50, 50, {}}};
    row.splits = {1, {2.0 + static_cast<double>(rank), 3}, {}, {}, 1, {{0, 4}, {1, 6}}};
    rows.add(row, 0);
    rows.add(collective("b", 10), 0);
    rows.endRank(sets.addSlot(rank), rank);
  }
  const std::vector<JobCollective> all = rows.take(sets);
  REQUIRE(all.size() == 2);
  const size_t a = all[0].module == "a" ? 0 : 1;
  CHECK(all[a].splits == Splits{2, {2.5, 3}, 1, 0, 2, {{0, 8}, {1, 12}}});
  CHECK(all[a].time.count == 2);
  CHECK(all[a].time.running_ns == 140);
  CHECK(all[a].time.exposed_ns == 100);
  CHECK(all[1 - a].splits == Splits());
  CHECK(all[1 - a].time.count == 0);
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

/// Gives the members of a row's key other values.
void change(std::string& value) {
  value += "x";
}
template <typename Value>
requires std::is_enum_v<Value> || std::is_same_v<Value, bool>
void change(Value& value) {
  value = static_cast<Value>(static_cast<int>(value) == 0 ? 1 : 0);
}
template <typename Value>
void change(const Value& /*outside of the key*/) {}

/// Returns the names of the columns of the key in which two rows differ.
std::vector<std::string_view> differences(const JobCollective& a, const JobCollective& b) {
  std::vector<std::string_view> names;
  forEachColumn<JobCollective>([&](const auto& column) {
    if constexpr (requires { a.*column.member == b.*column.member; }) {
      if (column.facts.key && a.*column.member != b.*column.member) {
        names.emplace_back(column.name);
      }
    }
  });
  return names;
}

TEST_CASE("rows that differ in one column of the described key stay apart, and differ in that column") {
  CHECK(keyNames<Collective>() == keyNames<JobCollective>());
  forEachColumn<Collective>([](const auto& column) {
    if (!column.facts.key) {
      return;
    }
    JobRows rows;
    RankSets sets;
    Collective row = collective("a", 1);
    rows.add(row, 0);
    change(row.*column.member);
    rows.add(row, std::string_view(column.name) == field::kGroup ? 1 : 0);
    rows.endRank(sets.addSlot(0), 0);
    const std::vector<JobCollective> all = rows.take(sets);
    CAPTURE(column.name);
    REQUIRE(all.size() == 2);
    CHECK(differences(all[0], all[1]) == std::vector<std::string_view>{column.name});
  });
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
