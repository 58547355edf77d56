// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// A process group that all ranks of a planned job make.
struct PlannedGroup {
  std::string desc; ///< "" for none
  std::vector<uint32_t> ranks;
};

/// The process groups of a planned job, of whatever ranks.
class PlannedGroups {
 public:
  PlannedGroups() = default;
  explicit PlannedGroups(std::vector<PlannedGroup> groups);

  /// Returns what `group` of rank `planned` is for `rank`: of the groups with the same name, digits apart, and the same
  /// steps between their members, the one with the same place among those of `rank`. Returns nullptr if there is none.
  const PlannedGroup* like(const Group& group, uint32_t planned, uint32_t rank) const;

 private:
  std::vector<const PlannedGroup*> alikeWith(const PlannedGroup& group, uint32_t rank) const;

  std::vector<PlannedGroup> groups_;
  std::map<uint32_t, std::vector<size_t>> by_rank_; ///< places in groups_
};

} // namespace commtap
