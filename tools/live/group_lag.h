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

/// A rank's position in the sequence of a group's collectives.
struct GroupPosition {
  std::optional<int64_t> rank;
  uint64_t collectives = 0; ///< issued by the rank in the group
  /// The last collective that the rank issued in the group; nullopt if the report no longer holds it.
  std::optional<LastCollective> last;
};

/// A process group whose ranks have issued different numbers of collectives. The ranks ahead wait for those behind.
struct GroupLag {
  Group group;
  std::vector<GroupPosition> members; ///< the member furthest behind first; excludes members without data
  /// The first collective that the first member has not issued and the last one has; nullopt if no report holds it.
  std::optional<LastCollective> missing;

  uint64_t most() const {
    return members.back().collectives;
  }
  /// Returns the number of collectives by which the last rank is behind the first.
  uint64_t size() const {
    return most() - members.front().collectives;
  }
};

/// Returns the groups whose ranks differ, the largest lag first. Processes of different runs are not compared. Running
/// ranks always differ briefly: compare two calls to find a lag that stays.
std::vector<GroupLag> lagsOf(std::span<const Report* const> reports);

} // namespace commtap
