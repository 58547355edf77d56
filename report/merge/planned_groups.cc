// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/planned_groups.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "report/model/amounts.h"

namespace commtap {
namespace {

std::string withoutDigits(std::string name) {
  std::erase_if(name, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return name;
}

/// Returns whether the members of both groups have the same distances.
bool areSpacedAlike(const std::vector<uint32_t>& one, const std::vector<uint32_t>& other) {
  return !one.empty() && std::equal(one.begin(), one.end(), other.begin(), other.end(), [&](uint32_t a, uint32_t b) {
    return a - one.front() == b - other.front();
  });
}

} // namespace

PlannedGroups::PlannedGroups(std::vector<PlannedGroup> groups) : groups_(std::move(groups)) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (const uint32_t rank : groups_[i].ranks) {
      by_rank_[rank].push_back(i);
    }
  }
}

std::vector<const PlannedGroup*> PlannedGroups::alikeWith(const PlannedGroup& group, uint32_t rank) const {
  std::vector<const PlannedGroup*> alike;
  const auto places = by_rank_.find(rank);
  for (const size_t place : places == by_rank_.end() ? std::vector<size_t>() : places->second) {
    const PlannedGroup& other = groups_[place];
    if (withoutDigits(other.desc) == withoutDigits(group.desc) && areSpacedAlike(other.ranks, group.ranks)) {
      alike.push_back(&other);
    }
  }
  return alike;
}

const PlannedGroup* PlannedGroups::like(const Group& group, uint32_t planned, uint32_t rank) const {
  const PlannedGroup own{isDescribed(group) ? group.desc : "", group.ranks};
  const std::vector<const PlannedGroup*> from = alikeWith(own, planned);
  const auto place = std::find_if(from.begin(), from.end(), [&own](const PlannedGroup* other) {
    return other->desc == own.desc && other->ranks == own.ranks;
  });
  const std::vector<const PlannedGroup*> to = alikeWith(own, rank);
  const auto index = static_cast<size_t>(place - from.begin());
  return place == from.end() || index >= to.size() ? nullptr : to[index];
}

} // namespace commtap
