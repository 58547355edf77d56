// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "report/base/string_table.h"

namespace commtap {

size_t JobGroups::RanksHash::operator()(const std::vector<uint32_t>& ranks) const {
  size_t hash = ranks.size();
  for (const uint32_t rank : ranks) {
    hash = mixHash(hash, rank);
  }
  return hash;
}

uint32_t JobGroups::groupIdOf(Key key, const std::string& desc) {
  const auto [entry, is_new] = groups_.emplace(std::move(key), static_cast<uint32_t>(groups_.size()));
  if (is_new) {
    descs_.push_back(desc);
  }
  return entry->second;
}

uint32_t JobGroups::instanceOf(uint32_t group, uint32_t nth, const std::vector<uint32_t>& ranks) {
  if (!std::is_sorted(ranks.begin(), ranks.end())) {
    std::vector<uint32_t> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    return instanceOf(group, nth, sorted);
  }
  auto& [members, ids] = *ids_.try_emplace(ranks).first; // copies only new keys
  const auto [entry, is_new] = ids.emplace(std::pair(group, nth), static_cast<uint32_t>(instances_.size()));
  if (is_new) {
    instances_.push_back({group, &members});
  }
  return entry->second;
}

GroupPlace JobGroups::placeOf(const Group& group, const GroupIdentity& identity) {
  const bool described = isDescribed(group);
  const uint32_t id = groupIdOf({identity.title, group.backend, group.size}, described ? group.desc : "");
  if (dimensions_.try_emplace(id, group.mesh_dimension).first->second != group.mesh_dimension) {
    dimensions_[id].clear();
  }
  return {id, group.ranks.empty() ? GroupPlace::kUnknown : instanceOf(id, identity.nth, group.ranks)};
}

GroupPlace JobGroups::placeOfUnknown(const std::string& name) {
  return {groupIdOf({name, "", 0}, ""), GroupPlace::kUnknown};
}

std::vector<JobGroup> JobGroups::take() const {
  std::vector<JobGroup> groups(groups_.size());
  std::set<std::string> taken;
  for (const auto& [key, id] : groups_) {
    const auto& [name, backend, size] = key;
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; ++n) {
      unique = name + "#" + std::to_string(n);
    }
    const auto dimension = dimensions_.find(id);
    groups[id] = {unique, descs_[id], backend, size, {}, {}, dimension == dimensions_.end() ? "" : dimension->second};
  }
  for (const Instance& instance : instances_) {
    groups[instance.group].members.push_back(*instance.ranks);
  }
  for (JobGroup& group : groups) {
    std::sort(group.members.begin(), group.members.end());
    group.members.erase(std::unique(group.members.begin(), group.members.end()), group.members.end());
  }
  return groups;
}

} // namespace commtap
