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

} // namespace
} // namespace commtap
