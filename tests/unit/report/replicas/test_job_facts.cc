// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/job_facts.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Adds a group, and a row of a module in it.
JobCollective& addRow(JobReport& job, Kind kind, const std::string& group, std::vector<GroupRanks> members) {
  JobGroup& added = job.groups.emplace_back();
  added.name = group;
  added.members = std::move(members);
  JobCollective& row = job.collectives.emplace_back();
  row.module = "Net.layer";
  row.phase = Phase::kForward;
  row.kind = kind;
  row.group = job.groups.size() - 1;
  row.dtype = "float32";
  row.amount.count.sum = 2;
  row.amount.bytes.sum = 2048;
  return row;
}

TEST_CASE("the tensor parallel group of a rank is the one that its name says, else the smallest") {
  JobReport job;
  addRow(job, Kind::kAllReduce, "default_pg", {{0, 1, 2, 3}});
  addRow(job, Kind::kAllGather, "x", {{0, 2}});
  CHECK(*jobFactsOf(job).tensorGroupOf(0) == GroupRanks{0, 2});
  addRow(job, Kind::kAllReduce, "mesh_tp", {{0, 1}, {2, 3}});
  const JobFacts facts = jobFactsOf(job);
  CHECK(*facts.tensorGroupOf(0) == GroupRanks{0, 1});
  CHECK(*facts.tensorGroupOf(3) == GroupRanks{2, 3});
  CHECK(facts.tensorGroupOf(4) == nullptr);
}

TEST_CASE("groups of data parallelism, set-up and backward are no tensor parallel groups") {
  JobReport job;
  addRow(job, Kind::kAllGather, "DATA_PARALLEL_GROUP_WITH_CP", {{0, 1}});
  addRow(job, Kind::kAllGather, "mesh_fsdp", {{0, 1}});
  addRow(job, Kind::kBroadcast, "tp", {{0, 1}});
  addRow(job, Kind::kAllReduce, "tp", {{0, 1}}).setup = true;
  addRow(job, Kind::kAllReduce, "tp", {{0, 1}}).phase = Phase::kBackward;
  CHECK(jobFactsOf(job).tensorGroupOf(0) == nullptr);
}

TEST_CASE("groups of experts, of contexts and of tensors with data are no tensor parallel groups") {
  JobReport job;
  addRow(job, Kind::kAllReduce, "EXPERT_TENSOR_PARALLEL_GROUP", {{0, 1}});
  addRow(job, Kind::kAllReduce, "TENSOR_AND_CONTEXT_PARALLEL_GROUP", {{0, 1, 2, 3}});
  addRow(job, Kind::kAllReduce, "TENSOR_AND_DATA_PARALLEL_GROUP", {{0, 1, 2, 3}});
  addRow(job, Kind::kAllGather, "mesh_ep", {{0, 1}});
  CHECK(jobFactsOf(job).tensorGroupOf(0) == nullptr);
  addRow(job, Kind::kAllReduce, "TENSOR_MODEL_PARALLEL_GROUP", {{0, 2}, {1, 3}});
  CHECK(*jobFactsOf(job).tensorGroupOf(0) == GroupRanks{0, 2});
}

TEST_CASE("a group without a name that reduces a loss in a module is no tensor parallel group") {
  JobReport job;
  addRow(job, Kind::kAllReduce, "default_pg", {{0, 1}}).amount.bytes.sum = 8;
  CHECK(jobFactsOf(job).tensorGroupOf(0) == nullptr);
  addRow(job, Kind::kAllReduce, "tp", {{0, 1}}).amount.bytes.sum = 8;
  CHECK(*jobFactsOf(job).tensorGroupOf(0) == GroupRanks{0, 1});
}

TEST_CASE("ranks send to each other if a group with sends has both") {
  JobReport job;
  addRow(job, Kind::kSend, "pp", {{0, 2}, {1, 3}});
  const JobFacts facts = jobFactsOf(job);
  CHECK(facts.hasMessages(std::vector<int64_t>{0, 1}, std::vector<int64_t>{2, 3}));
  CHECK_FALSE(facts.hasMessages(std::vector<int64_t>{0}, std::vector<int64_t>{1, 3}));
}

TEST_CASE("the experts above a parameter are the innermost module with an all_to_all") {
  JobReport job;
  addRow(job, Kind::kAllToAll, "ep", {{0, 1}});
  addRow(job, Kind::kAllToAll, "ep", {{0, 1}}).module = "Net";
  addRow(job, Kind::kAllToAll, "ep", {{0, 1}}).module = "Global";
  const JobFacts facts = jobFactsOf(job);
  CHECK(facts.expertsAbove("Net.layer.expert.w") == "Net.layer");
  CHECK(facts.expertsAbove("Net.layers.w") == "Net");
  CHECK(facts.expertsAbove("Other.w").empty());
  CHECK(facts.hasExchange(std::vector<int64_t>{0}, std::vector<int64_t>{1, 2}));
  CHECK_FALSE(facts.hasExchange(std::vector<int64_t>{0}, std::vector<int64_t>{2}));
}

TEST_CASE("a forward that communicates in bfloat16 computes in it") {
  JobReport job;
  addRow(job, Kind::kAllReduce, "tp", {{0, 1}});
  CHECK(jobFactsOf(job).coarse_dtype.empty());
  addRow(job, Kind::kAllReduce, "tp", {{0, 1}}).dtype = "bfloat16";
  CHECK(jobFactsOf(job).coarse_dtype == "bfloat16");
}

TEST_CASE("the groups of a process are found by its rank and their names") {
  Report report;
  report.job.rank = 1;
  report.groups.emplace_back().name = "3";
  report.groups.back().ranks = {1, 3};
  JobFacts facts;
  addGroups(facts, report);
  CHECK(facts.groups.at({1, "3"}).ranks == GroupRanks{1, 3});
}

TEST_CASE("a row of at most 64 bytes a call is a metric") {
  JobCollective row;
  row.amount.count.sum = 2;
  row.amount.bytes.sum = 128;
  CHECK(isMetric(row));
  row.amount.bytes.sum = 129;
  CHECK_FALSE(isMetric(row));
}

TEST_CASE("a name is below a module by whole components") {
  CHECK(isBelow("Net.a.w", "Net.a"));
  CHECK_FALSE(isBelow("Net.a", "Net.a"));
  CHECK_FALSE(isBelow("Net.ab.w", "Net.a"));
}

JobReport loneJob() {
  JobReport job;
  job.world_size = 2;
  for (const uint32_t size : {1, 2}) {
    JobGroup& group = job.groups.emplace_back();
    group.name = "of_" + std::to_string(size);
    group.size = size;
  }
  JobCollective& row = job.collectives.emplace_back();
  row.kind = Kind::kReduceScatter;
  row.phase = Phase::kBackward;
  row.amount.count.sum = 1;
  row.amount.bytes.sum = 4096;
  job.collectives.push_back(row);
  job.collectives.back().group = 1;
  job.collectives.back().setup = true;
  return job;
}

TEST_CASE("gradients that are reduced in groups of one rank only are found") {
  CHECK(loneReductions(loneJob()) == "of_1");
}

TEST_CASE("one rank, no gradients, or ranks that communicate otherwise are not") {
  JobReport one = loneJob();
  one.world_size = 1;
  CHECK(loneReductions(one).empty());
  JobReport forward = loneJob();
  forward.collectives[0].phase = Phase::kForward;
  CHECK(loneReductions(forward).empty());
  JobReport otherwise = loneJob();
  otherwise.collectives[1].setup = false;
  CHECK(loneReductions(otherwise).empty());
  otherwise.collectives[1].amount.bytes.sum = 4; // a loss that is logged
  CHECK(loneReductions(otherwise) == "of_1");
  CHECK(loneReductions({}).empty());
}

JobCollective& add(JobReport& job, const char* module, Phase phase, Kind kind, size_t group = 0) {
  JobCollective& row = job.collectives.emplace_back();
  row.module = module;
  row.phase = phase;
  row.kind = kind;
  row.group = group;
  row.dtype = "float32";
  row.amount.count.sum = 4;
  row.amount.bytes.sum = 4096;
  return row;
}

/// Returns a job whose layer gathers over group "cp", with data parallelism over another group.
JobReport gatheringJob() {
  JobReport job;
  for (const char* name : {"cp", "dp"}) {
    JobGroup& group = job.groups.emplace_back();
    group.name = name;
    group.size = 2;
    group.members = {{0, 1}, {2, 3}};
  }
  add(job, "Net.layers.0", Phase::kForward, Kind::kAllGather);
  add(job, "Net", Phase::kBackward, Kind::kAllReduce, 1);
  return job;
}

TEST_CASE("a module that gathers or sends in the forward only is named with its group") {
  JobReport job = gatheringJob();
  add(job, "Net.layers.1", Phase::kForward, Kind::kSend);
  const std::vector<OneWayModules> found = oneWayModules(job);
  REQUIRE(found.size() == 1);
  CHECK(found[0].group == "cp");
  CHECK(found[0].modules == std::vector<std::string>{"Net.layers.0", "Net.layers.1"});
  CHECK(found[0].members == std::vector<std::vector<uint32_t>>{{0, 1}, {2, 3}});
}

TEST_CASE("a backward row of the group at the module, below, above or at Global is a way back") {
  for (const char* module : {"Net.layers.0", "Net.layers.0.norm", "Net", "Global"}) {
    JobReport job = gatheringJob();
    add(job, module, Phase::kBackward, Kind::kReduceScatter);
    CAPTURE(module);
    CHECK(oneWayModules(job).empty());
  }
  for (const char* module : {"Net.layers.1", "Net.layers.00", "Net.layers.0x.norm"}) {
    JobReport job = gatheringJob();
    add(job, module, Phase::kBackward, Kind::kReduceScatter);
    CAPTURE(module);
    CHECK(oneWayModules(job).size() == 1);
  }
}

TEST_CASE("a reduction outside of any pass is a way back, one of a few elements is not") {
  JobReport job = gatheringJob();
  JobCollective& row = add(job, "Global", Phase::kOther, Kind::kAllReduce);
  CHECK(oneWayModules(job).empty());
  row.amount.bytes.sum = 16;
  CHECK(oneWayModules(job).size() == 1);
}

TEST_CASE("integers, set-up, metrics, groups of one and code outside of modules need no way back") {
  const auto found = [](auto change) {
    JobReport job = gatheringJob();
    change(job);
    return oneWayModules(job).size();
  };
  CHECK(found([](JobReport& job) { job.collectives[0].dtype = "int64"; }) == 0);
  CHECK(found([](JobReport& job) { job.collectives[0].setup = true; }) == 0);
  CHECK(found([](JobReport& job) { job.collectives[0].amount.bytes.sum = 4 * 64; }) == 0);
  CHECK(found([](JobReport& job) { job.groups[0].size = 1; }) == 0);
  CHECK(found([](JobReport& job) { job.collectives[0].module = "Global"; }) == 0);
  CHECK(found([](JobReport& job) { job.collectives[0].phase = Phase::kRecompute; }) == 0);
  CHECK(found([](JobReport& job) { job.collectives[0].kind = Kind::kAllReduce; }) == 0);
  CHECK(found([](JobReport& job) { job.collectives[0].dtype = "bfloat16"; }) == 1);
}

/// Returns a job of so many steps, of which the first ones reduce in their backward pass, and one more that is cut.
JobReport jobWith(uint64_t steps, uint64_t with_reductions) {
  JobReport job;
  JobGroup& group = job.groups.emplace_back();
  group.name = "mesh_dp";
  group.members = {{0, 1}};
  JobCollective& row = job.collectives.emplace_back();
  row.kind = Kind::kReduceScatter;
  row.phase = Phase::kBackward;
  for (uint64_t number = 0; number <= steps; ++number) {
    JobStep& step = job.steps.emplace_back();
    step.first_step = number;
    step.ranks = 2;
    step.collectives.push_back({Kind::kAllGather, 0, 2, {}, {}, {}, {}});
    if (number < with_reductions) {
      step.collectives.push_back({Kind::kReduceScatter, 0, 2, {}, {}, {}, {}});
    }
  }
  return job;
}

TEST_CASE("reductions that stop for the rest of a job are found") {
  const std::vector<StoppedReductions> stops = stoppedReductions(jobWith(8, 4));
  REQUIRE(stops.size() == 1);
  CHECK(stops[0].kind == Kind::kReduceScatter);
  CHECK(stops[0].group == "mesh_dp");
  CHECK(stops[0].members == std::vector<std::vector<uint32_t>>{{0, 1}});
  CHECK(stops[0].last_step == 4);
  CHECK(stops[0].end_step == 8);
}

TEST_CASE("reductions that go on, or are few, or end with the job, do not stop") {
  CHECK(stoppedReductions(jobWith(8, 9)).empty());
  CHECK(stoppedReductions(jobWith(8, 2)).empty());
  CHECK(stoppedReductions(jobWith(8, 6)).empty());
  CHECK(stoppedReductions({}).empty());
  JobReport again = jobWith(8, 4);
  again.steps.back().collectives.push_back({Kind::kReduceScatter, 0, 2, {}, {}, {}, {}});
  CHECK(stoppedReductions(again).empty());
}

TEST_CASE("a group that also reduces outside of backward passes does not count") {
  JobReport job = jobWith(8, 4);
  job.collectives.push_back(job.collectives.front());
  job.collectives.back().phase = Phase::kForward;
  CHECK(stoppedReductions(job).empty());
  job.collectives.back().setup = true;
  CHECK(stoppedReductions(job).size() == 1);
}

TEST_CASE("rows of steps that differ between ranks are not read") {
  JobReport job = jobWith(8, 4);
  job.steps[3].ranks = 1;
  CHECK(stoppedReductions(job).empty());
  JobReport overlapping = jobWith(8, 4);
  overlapping.steps[2].steps = 2;
  CHECK(stoppedReductions(overlapping).empty());
}

TEST_CASE("the last step counts if an update ended it") {
  JobReport job = jobWith(8, 4);
  job.steps.back().training_steps = 1;
  CHECK(stoppedReductions(job).at(0).end_step == 9);
}

TEST_CASE("the steps in which an optimizer's group reduces are known, from the one after a given step on") {
  JobReport job = jobWith(8, 9);
  job.collectives[0].phase = Phase::kOptimizer;
  job.collectives[0].amount.bytes.sum = 1000;
  job.collectives[0].amount.count.sum = 1;
  for (const size_t number : {2, 3, 4, 6}) {
    job.steps[number].collectives.pop_back();
  }
  const JobFacts facts = jobFactsOf(job);
  const std::vector<int64_t> one{0};
  const std::vector<int64_t> other{1};
  const std::vector<int64_t> third{2};
  CHECK(facts.averageAfter(one, other, 1) == 2U);
  CHECK(facts.averageAfter(one, other, 2) == 6U);
  CHECK_FALSE(facts.averageAfter(one, other, 9));
  CHECK_FALSE(facts.averageAfter(one, third, 1));
}

TEST_CASE("groups of a mesh's dimension in which nothing was issued are idle") {
  Report report;
  report.job.rank = 0;
  for (const char* name : {"used", "idle", "alone"}) {
    Group& group = report.groups.emplace_back();
    group.name = group.mesh_dimension = name;
    group.ranks = {0, 1};
  }
  report.groups[0].point_to_point = 1;
  report.groups[2].ranks = {0};
  JobFacts facts;
  addGroups(facts, report);
  CHECK(facts.idle_dimensions == std::map<std::string, std::set<GroupRanks>>{{"idle", {{0, 1}}}});
}

} // namespace
} // namespace commtap
