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
#include "report/model/amounts.h"

namespace commtap {

/// Identifies a process group of one report within the job.
struct GroupPlace {
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t group = 0;           ///< number of the group
  uint32_t instance = kUnknown; ///< number of the process group; kUnknown if its ranks are not known
};

/// The process groups of a job. Process groups with one description are one group, with an instance per set of ranks
/// and each time that it was made. The "dp" of ranks 0 and 2 and the "dp" of ranks 1 and 3 are two instances of one
/// group.
class JobGroups {
 public:
  GroupPlace placeOf(const Group& group, const GroupIdentity& identity);
  /// Returns the place of a group name that the report does not define.
  GroupPlace placeOfUnknown(const std::string& name);

  size_t size() const {
    return groups_.size();
  }
  uint32_t groupOf(uint32_t instance) const {
    return instances_[instance].group;
  }
  /// Returns the global ranks of the instance, sorted.
  const std::vector<uint32_t>& membersOf(uint32_t instance) const {
    return *instances_[instance].ranks;
  }

  /// Returns the groups by number, with unique names and their members. Their totals are not set.
  std::vector<JobGroup> take() const;

 private:
  using Key = std::tuple<std::string, std::string, uint32_t>; ///< name, backend, size
  struct Instance {
    uint32_t group;
    const std::vector<uint32_t>* ranks; ///< a key of `ids_`; keys never move
  };
  struct RanksHash {
    size_t operator()(const std::vector<uint32_t>& ranks) const;
  };

  uint32_t groupIdOf(Key key, const std::string& desc);
  uint32_t instanceOf(uint32_t group, uint32_t nth, const std::vector<uint32_t>& ranks);

  std::map<Key, uint32_t> groups_;
  std::vector<std::string> descs_;             ///< by group
  std::map<uint32_t, std::string> dimensions_; ///< by group that a report defines; "" if ranks differ
  std::vector<Instance> instances_;
  using Ids = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;  ///< instance by group and how manieth
  std::unordered_map<std::vector<uint32_t>, Ids, RanksHash> ids_; ///< by ranks
};

} // namespace commtap
