// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Where a process group of one report belongs in the job.
struct GroupPlace {
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t group = 0;           ///< its description's
  uint32_t instance = kUnknown; ///< the one process group, known by its ranks; kUnknown if they are not
};

/// The process groups of a job: those of one description are one group, with an instance for each set of ranks. The
/// "dp" of ranks 0 and 2 and the "dp" of ranks 1 and 3 are two instances of one group.
class JobGroups {
 public:
  GroupPlace placeOf(const Group& group);
  /// Of a name that a report does not define.
  GroupPlace placeOfUnknown(const std::string& name);

  size_t size() const {
    return groups_.size();
  }
  size_t instanceCount() const {
    return instances_.size();
  }
  uint32_t groupOf(uint32_t instance) const {
    return instances_[instance].group;
  }
  /// Global ranks, sorted.
  const std::vector<uint32_t>& membersOf(uint32_t instance) const {
    return *instances_[instance].ranks;
  }

  /// The groups by number, with unique names and their members; without totals.
  std::vector<JobGroup> take() const;

 private:
  using Key = std::tuple<std::string, std::string, uint32_t>; ///< name, backend, size
  struct Instance {
    uint32_t group;
    const std::vector<uint32_t>* ranks; ///< a key of `ids_`, which never moves
  };
  struct RanksHash {
    size_t operator()(const std::vector<uint32_t>& ranks) const;
  };

  uint32_t groupIdOf(Key key, const std::string& desc);
  uint32_t instanceOf(uint32_t group, const std::vector<uint32_t>& ranks);

  std::map<Key, uint32_t> groups_;
  std::vector<std::string> descs_; ///< by group
  std::vector<Instance> instances_;
  std::unordered_map<std::vector<uint32_t>, std::map<uint32_t, uint32_t>, RanksHash> ids_; ///< ranks, group, instance
};

} // namespace commtap
