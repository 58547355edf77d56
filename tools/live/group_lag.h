// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// A rank's place in the sequence of a group's collectives.
struct GroupPosition {
  std::optional<int64_t> rank;
  uint64_t collectives = 0; ///< issued by it in the group
  /// The last one that it issued in the group; nullopt if that is too long ago to be kept.
  std::optional<LastCollective> last;
};

/// A process group whose members have not all issued as many collectives: the first ones wait for the last.
struct GroupLag {
  Group group;
  std::vector<GroupPosition> members; ///< the one that is behind furthest first; without those that left no trace
  /// What the first member has not issued and the last one has; nullopt if that is too long ago to be kept.
  std::optional<LastCollective> missing;

  uint64_t most() const {
    return members.back().collectives;
  }
  /// How many collectives the last rank is behind the first.
  uint64_t size() const {
    return most() - members.front().collectives;
  }
};

/// The groups whose ranks differ, the largest lag first. Processes of several runs are kept apart. A running job's
/// ranks differ for moments: who asks twice knows which lag stays.
std::vector<GroupLag> lagsOf(std::span<const Report* const> reports);

} // namespace commtap
