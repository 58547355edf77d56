// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/model.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Returns a model of two layers with 5 x 2 and 4 parameters each, in a group of two ranks.
Report modelOf(const char* wrapper, std::vector<std::string> placements) {
  Report report;
  report.groups = {{"0", "dp", "gloo", 2, {0, 1}, 0, 0}};
  const auto add = [&report](uint32_t parent, const char* name) -> Module& {
    Module& module = report.modules.emplace_back();
    module.id = static_cast<uint32_t>(report.modules.size() - 1);
    module.parent = parent;
    module.name = name;
    return module;
  };
  add(0, "Global");
  add(0, "Net").wrappers = {wrapper};
  for (const char* name : {"Net.up", "Net.down"}) {
    Module& layer = add(1, name);
    layer.parameters = {
        {.name = "weight", .shape = {5, 2}, .requires_grad = true, .placements = placements},
        {.name = "bias", .shape = {4}, .requires_grad = true, .placements = placements}};
  }
  return report;
}

void addRow(Report& report, Kind kind, uint64_t count, uint64_t bytes) {
  Collective row;
  row.module = "Net";
  row.phase = Phase::kBackward;
  row.kind = kind;
  row.group = "0";
  row.dtype = "float32";
  row.count = count;
  row.bytes = bytes;
  report.collectives.push_back(row);
}

TEST_CASE("a DDP bucket of all gradients has the modules as members") {
  Report report = modelOf("DistributedDataParallel", {});
  addRow(report, Kind::kAllReduce, 3, 3 * 28 * 4);
  setMembers(report);
  CHECK(report.members == std::vector<Member>{{0, "Net.up", 3 * 14 * 4, {}}, {0, "Net.down", 3 * 14 * 4, {}}});
}

TEST_CASE("a row that a compiler merged keeps its members") {
  Report report = modelOf("DistributedDataParallel", {});
  addRow(report, Kind::kAllReduce, 3, 3 * 28 * 4);
  addRow(report, Kind::kAllReduce, 3, 3 * 28 * 4);
  report.members = {{1, "Net.up", 3 * 28 * 4, 6}};
  setMembers(report);
  REQUIRE(report.members.size() == 3);
  CHECK(report.members[0] == Member{0, "Net.up", 3 * 14 * 4, {}});
  CHECK(report.members[2] == Member{1, "Net.up", 3 * 28 * 4, 6});
}

TEST_CASE("a unit of FSDP2 has its padding apart") {
  Report report = modelOf("FSDPModule", {"Shard(dim=0)"});
  addRow(report, Kind::kAllGather, 2, 2 * 32 * 4);
  addRow(report, Kind::kReduceScatter, 1, 32 * 4);
  setMembers(report);
  REQUIRE(report.members.size() == 6);
  CHECK(report.members[1] == Member{0, "Net.down", 2 * 14 * 4, {}});
  CHECK(report.members[2] == Member{0, "", 2 * 4 * 4, {}});
  CHECK(report.members[5] == Member{1, "", 4 * 4, {}});
}

TEST_CASE("a nested unit carries its own parameters, and the outer one does not") {
  Report report = modelOf("FSDPModule", {"Shard(dim=0)"});
  report.modules[3].wrappers = {"FSDPModule"};
  addRow(report, Kind::kAllGather, 1, 16 * 4);
  setMembers(report);
  CHECK(report.members == std::vector<Member>{{0, "Net.up", 14 * 4, {}}, {0, "", 2 * 4, {}}});
}

TEST_CASE("a unit of several modules has its rows at their ancestor, and the modules as members") {
  Report report = modelOf("FSDPModule", {"Shard(dim=0)"});
  report.modules[2].wrappers = report.modules[3].wrappers = {"FSDPModule"};
  addRow(report, Kind::kAllGather, 2, 2 * 32 * 4);
  setMembers(report);
  const std::vector<Member> expected{
      {0, "Net.up", 2 * 14 * 4, {}}, {0, "Net.down", 2 * 14 * 4, {}}, {0, "", 2 * 4 * 4, {}}};
  CHECK(report.members == expected);
}

TEST_CASE("a module that has rows of its own is in no unit of several modules") {
  Report report = modelOf("FSDPModule", {"Shard(dim=0)"});
  report.modules[2].wrappers = report.modules[3].wrappers = {"FSDPModule"};
  addRow(report, Kind::kAllGather, 1, 32 * 4);
  addRow(report, Kind::kAllGather, 1, 16 * 4);
  report.collectives.back().module = "Net.up";
  setMembers(report);
  CHECK(report.members == std::vector<Member>{{1, "Net.up", 14 * 4, {}}, {1, "", 2 * 4, {}}});
}

TEST_CASE("a row whose payload is another has no members") {
  Report report = modelOf("DistributedDataParallel", {});
  addRow(report, Kind::kAllReduce, 3, 3 * 14 * 4); // one of two buckets
  addRow(report, Kind::kBroadcast, 1, 28 * 4);
  addRow(report, Kind::kAllReduce, 1, 28 * 4);
  report.collectives.back().dtype = "int8";
  setMembers(report);
  CHECK(report.members.empty());
  Report sharded = modelOf("FSDPModule", {"Shard(dim=1)"});
  addRow(sharded, Kind::kAllGather, 1, 32 * 4);
  setMembers(sharded);
  CHECK(sharded.members.empty());
}

LastCollective reduceOf(uint64_t bytes) {
  LastCollective call;
  call.op = "c10d.reduce_";
  call.kind = Kind::kReduce;
  call.dtype = "float32";
  call.bytes = bytes;
  call.reduce_op = "sum";
  call.root = 0;
  return call;
}

TEST_CASE("each agreed fact distinguishes two collectives, and a module does not") {
  const LastCollective call = reduceOf(64);
  LastCollective other = call;
  other.module = "Net";
  other.phase = Phase::kForward;
  CHECK(agreedFacts(other) == agreedFacts(call));
  for (void (*change)(LastCollective&) : {
           +[](LastCollective& each) { each.op = "c10d.other"; },
           +[](LastCollective& each) { each.kind = Kind::kBroadcast; },
           +[](LastCollective& each) { each.dtype = "float16"; },
           +[](LastCollective& each) { each.bytes = 32; },
           +[](LastCollective& each) { each.root = 1; },
           +[](LastCollective& each) { each.reduce_op = "max"; },
       }) {
    LastCollective changed = call;
    change(changed);
    CHECK(agreedFacts(changed) != agreedFacts(call));
  }
}

TEST_CASE("payloads of a kind with uneven splits are not compared") {
  LastCollective one = reduceOf(64);
  LastCollective other = reduceOf(32);
  one.kind = other.kind = Kind::kAllToAll;
  CHECK(agreedFacts(one) == agreedFacts(other));
}

} // namespace
} // namespace commtap
