// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

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

} // namespace
} // namespace commtap
