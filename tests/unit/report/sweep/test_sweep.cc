// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/sweep/sweep.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

Collective rowOf(const char* module, const char* group, uint64_t count, uint64_t bytes_each) {
  Collective row;
  row.module = module;
  row.kind = Kind::kAllGather;
  row.op = "gather";
  row.group = group;
  row.count = count;
  row.bytes = count * bytes_each;
  row.sizes[bytes_each] = count;
  return row;
}

Report reportOf(std::vector<Collective> rows) {
  Report report;
  report.groups.push_back({"0", "dp", "fake", 2, {0, 2}, 0, 0, {}});
  report.groups.push_back({"1", "tp", "fake", 2, {0, 1}, 0, 0, {}});
  report.collectives = std::move(rows);
  return report;
}

/// The groups of 4 ranks in a mesh of 2 by 2.
std::vector<JobGroup> groupsOfMesh() {
  return {{"dp", "dp", "fake", 2, {{0, 2}, {1, 3}}, {}}, {"tp", "tp", "fake", 2, {{0, 1}, {2, 3}}, {}}};
}

TEST_CASE("a layout has the messages of the last step, per rank") {
  const Report plan = reportOf({rowOf("a", "0", 5, 64), rowOf("b", "0", 2, 64), rowOf("a", "1", 3, 128)});
  const Report before = reportOf({rowOf("a", "0", 3, 64), rowOf("a", "1", 3, 128)});
  const std::vector<Messages> all = messagesOf({{&plan, &before, {0, 1, 2, 3}}}, groupsOfMesh(), 2);
  REQUIRE(all.size() == 1); // the other row is of earlier steps
  CHECK(all[0].group == "dp");
  CHECK(all[0].kind == Kind::kAllGather);
  CHECK(all[0].calls == 4);
  CHECK(all[0].bytes == 4 * 64);
  CHECK(all[0].smallest == 64);
  CHECK(all[0].largest == 64);
}

TEST_CASE("bytes cross nodes where the ranks of a process group are on several") {
  const Report plan = reportOf({rowOf("a", "0", 1, 64), rowOf("a", "1", 1, 256)});
  const Report before = reportOf({});
  const std::vector<Messages> two = messagesOf({{&plan, &before, {0, 1, 2, 3}}}, groupsOfMesh(), 2);
  REQUIRE(two.size() == 2);
  CHECK(two[0].group == "tp");
  CHECK(two[0].nodes == 1);
  CHECK(two[0].bytes_across == 0);
  CHECK(two[1].nodes == 2);
  CHECK(two[1].bytes_across == 64);
  // Nodes of three ranks part one of the two tp groups: half of the ranks.
  const std::vector<Messages> three = messagesOf({{&plan, &before, {0, 1, 2, 3}}}, groupsOfMesh(), 3);
  CHECK(three[0].bytes_across == 128);
  CHECK(three[1].bytes_across == 32); // 1 and 3
}

TEST_CASE("ranks that communicate differently count by the ranks that they represent") {
  const Report first = reportOf({rowOf("a", "0", 4, 64)});
  const Report other = reportOf({rowOf("a", "0", 8, 64)});
  const Report before = reportOf({});
  const std::vector<Messages> all =
      messagesOf({{&first, &before, {0}}, {&other, &before, {1, 2, 3}}}, groupsOfMesh(), 8);
  REQUIRE(all.size() == 1);
  CHECK(all[0].calls == doctest::Approx(7));
}

TEST_CASE("calls of several sizes in one row have the bounds of their sizes") {
  Collective row = rowOf("a", "0", 2, 64);
  row.sizes[1024] = 1;
  row.count = 3;
  row.bytes = 2 * 64 + 1100;
  const Report plan = reportOf({row});
  const Report before = reportOf({});
  const std::vector<Messages> all = messagesOf({{&plan, &before, {0}}}, groupsOfMesh(), 8);
  CHECK(all[0].smallest == 64);
  CHECK(all[0].largest == 1228); // below the class's end
}

Messages messagesOf(const char* group, double bytes, double across) {
  return {Kind::kAllGather, group, 4, across > 0 ? 2U : 1U, 512, 1024, 2, bytes, across};
}

TEST_CASE("a layout is the sum of its messages, and so is each group") {
  SweptLayout layout;
  addMessages({messagesOf("dp", 100, 100), messagesOf("tp", 300, 0), messagesOf("dp", 50, 20)}, layout);
  CHECK(layout.all.calls == 6);
  CHECK(layout.all.bytes == 450);
  CHECK(layout.all.bytes_across == 120);
  CHECK(layout.all.nodes == 2);
  CHECK(layout.all.smallest == 512);
  CHECK(layout.all.largest == 1024);
  REQUIRE(layout.groups.size() == 2);
  CHECK(layout.groups[0].group == "tp");
  CHECK(layout.groups[1].bytes == 150);
  CHECK(layout.groups[1].bytes_across == 120);
}

TEST_CASE("layouts are in the order of the bytes that cross nodes; failed ones are last") {
  std::vector<SweptLayout> layouts(3);
  layouts[0].values = {{"tp", "1"}};
  layouts[0].failure = "no";
  layouts[1].values = {{"tp", "2"}, {"dp", "4"}};
  layouts[1].all.bytes_across = 7;
  layouts[2].values = {{"tp", "4"}};
  layouts[2].all.bytes_across = 5;
  sortLayouts(layouts);
  CHECK(layoutName(layouts[0].values) == "tp=4");
  CHECK(layoutName(layouts[1].values) == "tp=2 dp=4");
  CHECK(layouts[2].failure == "no");
}

TEST_CASE("the document of a sweep says that it is a plan") {
  Sweep sweep{.command = {"python", "train.py"}, .world_size = 8, .per_node = 4};
  sweep.layouts.emplace_back();
  sweep.layouts[0].values = {{"tp", "1"}};
  addMessages({messagesOf("dp", 100, 100)}, sweep.layouts[0]);
  const nlohmann::json document = nlohmann::json::parse(sweepToJson(sweep));
  CHECK(document["schema"] == kSweepSchema);
  CHECK(document["planned"] == true);
  CHECK(document["layouts"][0]["values"]["tp"] == "1");
  CHECK(document["layouts"][0]["all"]["bytes_across_nodes"] == 100);
  CHECK(document["layouts"][0]["groups"][0]["group"] == "dp");
}

TEST_CASE("a sweep is found by its folder and by its file") {
  const TempFolder folder;
  CHECK(sweepIn(folder.path()).empty());
  writeText(folder / kSweepFile, "{}");
  CHECK(sweepIn(folder.path()) == folder / kSweepFile);
  CHECK(sweepIn(folder / kSweepFile) == folder / kSweepFile);
}

} // namespace

} // namespace commtap
