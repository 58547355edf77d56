// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/plan_merge.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Ranks = std::vector<uint32_t>;

Group groupOf(std::string desc, Ranks ranks) {
  Group group;
  group.desc = std::move(desc);
  group.ranks = std::move(ranks);
  return group;
}

/// Pairs of tensor parallel ranks, which are trainers 0-3 and a rollout 4-5, and the trainers' data parallel groups.
PlannedGroups groupsOfJob() {
  return PlannedGroups({
      {"tp_0", {0, 1}},
      {"tp_1", {2, 3}},
      {"tp_2", {4, 5}},
      {"dp", {0, 2}},
      {"dp", {1, 3}},
      {"", {0, 1}},
      {"", {2, 3}},
      {"", {0, 1}},
      {"", {2, 3}},
  });
}

TEST_CASE("a group of another rank is the one of the same name and steps") {
  const PlannedGroups groups = groupsOfJob();
  const PlannedGroup* tensor = groups.like(groupOf("tp_0", {0, 1}), 0, 5);
  REQUIRE(tensor != nullptr);
  CHECK(tensor->desc == "tp_2");
  CHECK(tensor->ranks == Ranks{4, 5});
  const PlannedGroup* data = groups.like(groupOf("dp", {0, 2}), 0, 3);
  REQUIRE(data != nullptr);
  CHECK(data->ranks == Ranks{1, 3});
}

TEST_CASE("of groups that are alike, it is the one in the same place") {
  const PlannedGroups groups({{"", {0, 1}}, {"", {2, 3}}, {"", {0, 1}}, {"", {2, 3}}, {"first", {0, 1}}});
  const PlannedGroup* found = groups.like(groupOf("undefined", {0, 1}), 0, 3);
  REQUIRE(found != nullptr);
  CHECK(found->ranks == Ranks{2, 3});
  CHECK(groups.like(groupOf("first", {0, 1}), 0, 3) == nullptr);
}

TEST_CASE("a group that is not known, or that the rank has none like, is not found") {
  const PlannedGroups groups = groupsOfJob();
  CHECK(groups.like(groupOf("cp", {0, 1}), 0, 2) == nullptr);
  CHECK(groups.like(groupOf("dp", {0, 2}), 0, 4) == nullptr);
  CHECK(groups.like(groupOf("dp", {0, 1}), 0, 2) == nullptr);
  CHECK(groups.like(groupOf("dp", {}), 0, 2) == nullptr);
  CHECK(PlannedGroups().like(groupOf("dp", {0, 2}), 0, 1) == nullptr);
}

} // namespace
} // namespace commtap
