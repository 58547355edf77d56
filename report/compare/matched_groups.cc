// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/matched_groups.h"

#include <map>
#include <set>
#include <utility>

namespace commtap {
namespace {

/// Returns the dimension of each group that is one, by the group's name.
std::map<std::string, std::string> dimensionsOf(const JobReport& job) {
  std::map<std::string, std::string> dimensions;
  for (const JobGroup& group : job.groups) {
    if (!group.mesh_dimension.empty()) {
      dimensions.emplace(group.name, group.mesh_dimension);
    }
  }
  return dimensions;
}

CellKey inGroup(CellKey key, const std::string& group) {
  key.group = group;
  return key;
}

/// Returns the groups of one run's cells that the other run has not, by what the cells are with the dimension in place
/// of the group.
std::map<CellKey, std::vector<std::string>> unmatched(const JobReport& job, const Cells& cells, const Cells& others) {
  const std::map<std::string, std::string> dimensions = dimensionsOf(job);
  std::map<CellKey, std::vector<std::string>> found;
  for (const auto& [key, cell] : cells) {
    const auto dimension = dimensions.find(key.group);
    if (dimension != dimensions.end() && others.count(key) == 0) {
      found[inGroup(key, dimension->second)].push_back(key.group);
    }
  }
  return found;
}

/// Returns whether no other cell of the run is what the cell would be in another group.
bool canBeIn(const std::string& group, const CellKey& key, const Cells& cells) {
  return key.group == group || cells.count(inGroup(key, group)) == 0;
}

void moveTo(const std::string& group, const CellKey& key, Cells& cells) {
  auto cell = cells.extract(key);
  cell.key().group = group;
  cells.insert(std::move(cell));
}

} // namespace

std::vector<std::string>
matchGroups(const JobReport& before, const JobReport& after, Cells& cells_before, Cells& cells_after) {
  const auto only_before = unmatched(before, cells_before, cells_after);
  const auto only_after = unmatched(after, cells_after, cells_before);
  std::set<std::string> notes;
  for (const auto& [role, groups] : only_before) {
    const auto other = only_after.find(role);
    if (other == only_after.end() || groups.size() != 1 || other->second.size() != 1) {
      continue;
    }
    const std::string name = "mesh_" + role.group; // as torch describes the group of a dimension
    const CellKey key_before = inGroup(role, groups[0]);
    const CellKey key_after = inGroup(role, other->second[0]);
    if (!canBeIn(name, key_before, cells_before) || !canBeIn(name, key_after, cells_after)) {
      continue;
    }
    moveTo(name, key_before, cells_before);
    moveTo(name, key_after, cells_after);
    notes.insert(
        "group " + groups[0] + " before and " + other->second[0] + " after are both the mesh dimension " + role.group +
        ": rows that only one of them has are compared under " + name);
  }
  return {notes.begin(), notes.end()};
}

} // namespace commtap
