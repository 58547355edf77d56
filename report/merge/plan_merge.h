// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "report/job/job_report.h"
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

/// The ranks of a planned job, and which planned rank stands for which.
class PlanRanks {
 public:
  /// Parses the planner's own file. The error says what is wrong with it.
  static Result<PlanRanks> fromJson(std::string_view text);

  /// Returns, by rank of the job, the planned rank that stands for it.
  const std::map<int64_t, int64_t>& standing() const {
    return standing_;
  }

  /// Returns what the groups of rank `planned` are for `rank`, as the job makes them. A group that only its members
  /// make moves in the mesh: the dimensions that all members share with `planned`, they share with `rank` instead.
  std::vector<Group> groupsFor(const std::vector<Group>& groups, int64_t planned, int64_t rank) const;

 private:
  /// Returns a rank's places in the dimensions of the mesh.
  std::vector<uint32_t> placesOf(uint32_t rank) const;
  uint32_t rankAt(const std::vector<uint32_t>& places) const;
  void moveGroup(std::vector<uint32_t>& members, uint32_t planned, uint32_t rank) const;

  std::vector<uint32_t> shape_;
  std::vector<uint32_t> ranks_; ///< by index in the mesh
  std::vector<uint32_t> index_; ///< by rank
  std::map<int64_t, int64_t> standing_;
  PlannedGroups groups_;
};

/// The file of a plan's folder that holds its job report.
inline constexpr const char* kPlanFile = "plan.json";

/// Returns the job report of the plan in a folder; "" if there is none.
std::string planIn(const std::string& path);

/// The file below a plan's folder that holds the job report before the last step.
inline constexpr const char* kBeforeLastFile = "plan/before.json";

/// Merges the reports below a plan's folder into the job report of all ranks that the planned ones stand for.
Result<JobReport> mergePlan(const std::string& folder, const PlanRanks& ranks);
/// Merges the reports that the ranks had before their last step. Fails if a rank made one step only.
Result<JobReport> mergeBeforeLast(const std::string& folder, const PlanRanks& ranks);

} // namespace commtap
