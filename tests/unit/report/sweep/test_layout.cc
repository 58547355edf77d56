// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/sweep/layout.h"

#include <doctest/doctest.h>

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

} // namespace
} // namespace commtap
