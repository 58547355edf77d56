// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/one_way_modules.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

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

} // namespace
} // namespace commtap
