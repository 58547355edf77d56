// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include "report/job/job_columns.h"
#include "tests/unit/job_samples.h"

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
    const std::vector<Member> members = {{0, "a.up", 7, 2, 1}, {0, "", 3, {}}};
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
  CHECK(std::find(all[a].members.begin(), all[a].members.end(), JobMember{"a.up", 14, 4, 2}) != all[a].members.end());
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

Group group(const std::string& name, const std::string& desc, std::vector<uint32_t> ranks) {
  return {name, desc, "gloo", static_cast<uint32_t>(ranks.size()), std::move(ranks)};
}

GroupPlace place(JobGroups& groups, const Group& group, uint32_t nth = 1) {
  return groups.placeOf(group, {groupTitle(group), nth});
}

TEST_CASE("groups with one description are one group, with an instance per set of ranks") {
  JobGroups groups;
  const GroupPlace even = place(groups, group("5", "dp", {0, 2}));
  const GroupPlace odd = place(groups, group("6", "dp", {3, 1}));
  const GroupPlace again = place(groups, group("77", "dp", {2, 0}));
  CHECK(even.group == odd.group);
  CHECK(even.instance != odd.instance);
  CHECK(again.instance == even.instance);
  CHECK(groups.membersOf(odd.instance) == std::vector<uint32_t>{1, 3});
  CHECK(groups.groupOf(odd.instance) == even.group);
  const std::vector<JobGroup> all = groups.take();
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "dp");
  CHECK(all[0].members == std::vector<std::vector<uint32_t>>{{0, 2}, {1, 3}});
}

TEST_CASE("a group made again is another instance of the same group") {
  JobGroups groups;
  const GroupPlace first = place(groups, group("0", "default_pg", {0, 1}));
  const GroupPlace second = place(groups, group("0#2", "default_pg", {0, 1}), 2);
  CHECK(second.group == first.group);
  CHECK(second.instance != first.instance);
  CHECK(place(groups, group("0#2", "default_pg", {1, 0}), 2).instance == second.instance);
  CHECK(groups.take()[0].members == std::vector<std::vector<uint32_t>>{{0, 1}});
}

TEST_CASE("a group is a mesh dimension if it is that of every rank") {
  const auto dimensionOf = [](const std::vector<std::string>& by_rank) {
    JobGroups groups;
    Group world = group("0", "default_pg", {0, 1});
    for (const std::string& dimension : by_rank) {
      world.mesh_dimension = dimension;
      place(groups, world);
    }
    return groups.take()[0].mesh_dimension;
  };
  CHECK(dimensionOf({"dp", "dp"}) == "dp");
  CHECK(dimensionOf({"dp", "tp", "dp"}).empty());
  CHECK(dimensionOf({"dp", "", "dp"}).empty());
}

TEST_CASE("equal ranks in groups with two descriptions are two instances") {
  JobGroups groups;
  CHECK(place(groups, group("0", "default_pg", {0, 1})).instance != place(groups, group("1", "tp", {0, 1})).instance);
}

TEST_CASE("names are unique; a group without a description has PyTorch's name") {
  JobGroups groups;
  place(groups, group("1", "tp", {0, 1}));
  place(groups, group("2", "tp", {0, 1, 2}));
  place(groups, group("tp#2", "", {0}));
  place(groups, group("9", "undefined", {}));
  groups.placeOfUnknown("?");
  std::vector<std::string> names;
  for (const JobGroup& each : groups.take()) {
    names.push_back(each.name);
  }
  CHECK(names == std::vector<std::string>{"tp", "tp#2", "tp#2#2", "9", "?"});
  CHECK(place(groups, group("9", "undefined", {})).instance == GroupPlace::kUnknown);
  CHECK(groups.placeOfUnknown("?").instance == GroupPlace::kUnknown);
}

const JobModule& moduleOf(const JobReport& job, const std::string& name) {
  for (const JobModule& module : job.modules) {
    if (module.name == name) {
      return module;
    }
  }
  throw std::runtime_error("no such module");
}

TEST_CASE("the tree has the job's amounts, exclusive and inclusive, and the spread of calls") {
  std::vector<Report> reports = sampleReports(4);
  for (Module& module : reports[2].modules) {
    module.calls[static_cast<size_t>(Phase::kForward)] *= 3;
  }
  const JobReport job = jobOf(reports);
  CHECK(job.modules[0].name == "Global");
  const JobModule& net1 = moduleOf(job, "DistributedDataParallel.net1");
  CHECK(job.modules[net1.parent].name == "DistributedDataParallel");
  CHECK(net1.depth == 2);
  CHECK(net1.own.at({Phase::kForward, Kind::kAllGather}) == Amount{8, 8192, 6144});
  CHECK(moduleOf(job, "DistributedDataParallel").inclusive.at({Phase::kForward, Kind::kAllGather}).count == 8);
  const auto& calls = moduleOf(job, "DistributedDataParallel").calls[static_cast<size_t>(Phase::kForward)];
  CHECK(calls.sum == 6);
  CHECK(calls.min == 1);
  CHECK(calls.max == 3);
  CHECK(calls.max_rank == 2);
}

TEST_CASE("a module of one pipeline stage has the ranks of that stage") {
  std::vector<Report> reports = sampleReports(4);
  for (const size_t rank : {2, 3}) {
    for (Module& module : reports[rank].modules) {
      module.name = module.name == "DistributedDataParallel.net2" ? "DistributedDataParallel.head" : module.name;
    }
  }
  const JobReport job = jobOf(reports);
  CHECK(job.rank_sets[moduleOf(job, "DistributedDataParallel.head").rank_set] == RankRanges{{2, 3}});
  CHECK(job.rank_sets[moduleOf(job, "DistributedDataParallel.net2").rank_set] == RankRanges{{0, 1}});
  CHECK(job.rank_sets[moduleOf(job, "DistributedDataParallel").rank_set] == RankRanges{{0, 3}});
}

TEST_CASE("processes of one rank are added up before ranks are compared") {
  const JobReport job = jobOf({sampleReport(0), sampleReport(0), sampleReport(1)});
  const auto& calls = moduleOf(job, "DistributedDataParallel").calls[static_cast<size_t>(Phase::kForward)];
  CHECK(calls.max == 2);
  CHECK(calls.max_rank == 0);
  CHECK(calls.min == 1);
}

Step step(uint64_t first, uint64_t steps, uint64_t took, uint64_t calls) {
  return {first, steps, 1000, 1000 + took, 1, 1, {{Kind::kAllReduce, "0", calls, calls * 100}}};
}

JobReport taken(const JobSteps& steps) {
  JobReport job;
  steps.take(job);
  return job;
}

TEST_CASE("durations and amounts are spread over ranks, with the slowest rank") {
  JobSteps steps;
  const std::vector<uint32_t> groups = {3};
  steps.add(std::vector<Step>{step(0, 1, 50, 2)}, groups);
  steps.endRank(0);
  steps.add(std::vector<Step>{step(0, 1, 70, 4)}, groups);
  steps.endRank(1);
  const std::vector<JobStep> all = taken(steps).steps;
  REQUIRE(all.size() == 1);
  CHECK(all[0].ranks == 2);
  CHECK(all[0].timed_ranks == 2);
  CHECK(all[0].forward_passes == 1); // the most of any rank
  CHECK(all[0].backward_passes == 1);
  CHECK(all[0].duration_ns.sum == 120);
  CHECK(all[0].duration_ns.min_rank == 0);
  CHECK(all[0].duration_ns.max == 70);
  CHECK(all[0].duration_ns.max_rank == 1);
  REQUIRE(all[0].collectives.size() == 1);
  CHECK(all[0].collectives[0].group == 3);
  CHECK(all[0].collectives[0].count.sum == 6);
  CHECK(all[0].collectives[0].bytes.max == 400);
}

TEST_CASE("a job's all_to_alls are uneven by what the ranks of each whole process group have less than its busiest") {
  const std::vector<uint32_t> first = {0, 1};
  const std::vector<uint32_t> second = {2, 3};
  const auto unevenBytes = [&](uint64_t calls_of_last) {
    JobRows rows;
    RankSets sets;
    for (const uint32_t rank : {0U, 1U, 2U, 3U}) {
      Collective row = collective("a", rank < 2 ? 10 : 100 + rank);
      row.kind = Kind::kAllToAll;
      row.count = rank == 3 ? calls_of_last : 1;
      row.splits.calls = 1;
      row.splits.received_more = rank == 1 ? 5 : 0;
      rows.add(row, 0, {}, rank < 2 ? &first : &second);
      rows.endRank(sets.addSlot(rank), rank);
    }
    return rows.take(sets).at(0).uneven_bytes;
  };
  CHECK(unevenBytes(1) == 5 + 5 + 1); // each rank of the first group waits for 15 bytes and has 10
  CHECK(unevenBytes(2) == 5 + 5);     // ranks with other calls have not the same exchanges
}

TEST_CASE("ranks with other sums of steps have rows of their own; a running step has no duration") {
  JobSteps steps;
  Step running = step(4, 1, 0, 1);
  running.ended_at_ns = std::nullopt;
  steps.add(std::vector<Step>{step(0, 4, 40, 1), running}, std::vector<uint32_t>{0, 0});
  steps.endRank(0);
  steps.add(std::vector<Step>{step(0, 2, 20, 1), step(2, 2, 20, 1)}, std::vector<uint32_t>{0, 0});
  steps.endRank(1);
  const std::vector<JobStep> all = taken(steps).steps;
  REQUIRE(all.size() == 4);
  CHECK(all[0].steps == 2);
  CHECK(all[1].steps == 4);
  CHECK(all[2].first_step == 2);
  CHECK(all[3].timed_ranks == 0);
}

TEST_CASE("a rank's processes count with their longest step and the sum of their communication") {
  JobSteps steps;
  steps.add(std::vector<Step>{step(0, 1, 50, 1)}, std::vector<uint32_t>{0});
  Step second = step(0, 1, 90, 1);
  second.closure_passes = 1;
  steps.add(std::vector<Step>{second}, std::vector<uint32_t>{0});
  steps.endRank(0);
  const std::vector<JobStep> all = taken(steps).steps;
  REQUIRE(all.size() == 1);
  CHECK(all[0].ranks == 1);
  CHECK(all[0].duration_ns.sum == 90);
  CHECK(all[0].backward_passes == 2);
  CHECK(all[0].closure_passes == 1);
  CHECK(all[0].collectives[0].count.sum == 2);
}

TEST_CASE("training steps are matched by their number, whatever ranks do outside of them") {
  Step trained = step(0, 1, 50, 2);
  trained.training_steps = 1;
  JobSteps steps;
  Step later = trained;
  later.first_step = 3;
  steps.add(std::vector<Step>{step(0, 1, 5, 1), step(1, 2, 7, 1), later}, std::vector<uint32_t>{0, 0, 0});
  steps.endRank(0);
  steps.add(std::vector<Step>{trained, step(1, 1, 0, 0)}, std::vector<uint32_t>{0, 0});
  steps.endRank(1);
  const JobReport job = taken(steps);
  REQUIRE(job.steps.size() == 1);
  CHECK(job.steps[0].first_step == 0);
  CHECK(job.steps[0].ranks == 2);
  CHECK(job.steps[0].training_steps == 1);
  CHECK(job.steps[0].collectives[0].count.sum == 4);
  REQUIRE(job.outside_steps.size() == 2);
  CHECK(job.outside_steps[0].steps == 3); // of the first rank, before its first training step
  CHECK(job.outside_steps[0].duration_ns.sum == 12);
  CHECK(job.outside_steps[0].ranks == 1);
  CHECK(job.outside_steps[1].first_step == 1);
}

} // namespace
} // namespace commtap
