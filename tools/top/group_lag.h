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
  int64_t rank = 0;
  std::string host;
  uint64_t pid = 0;
  uint64_t collectives = 0; ///< issued by the rank in the group
  /// The last collective that the rank issued in the group; nullopt if the report no longer holds it.
  std::optional<LastCollective> last;
  std::string last_state = {}; ///< as lastStateText(); "" without `last`
};

/// A process group that waits: its ranks have issued different numbers of collectives, and the ranks ahead wait for
/// those behind; or all have issued the same number, and the last collective has not completed on any of them.
struct GroupLag {
  Group group;
  std::string run;                    ///< as runName()
  std::vector<GroupPosition> members; ///< the member furthest behind first; excludes members without data
  /// The first collective that the first member has not issued and the last one has; nullopt if no report holds it, or
  /// if no member is behind.
  std::optional<LastCollective> missing;
  /// CLOCK_REALTIME at which the oldest call that waits was issued; UINT64_MAX if no report holds it.
  uint64_t since_ns = UINT64_MAX;

  uint64_t most() const {
    return members.back().collectives;
  }
  /// Returns the number of collectives by which the last rank is behind the first; 0 if all have issued the same.
  uint64_t size() const {
    return most() - members.front().collectives;
  }
};

/// Returns the groups that wait, the one that waits longest first: it may be why the others wait. Ranks of
/// different runs are not compared. Running ranks always differ briefly: compare two calls to find a lag that stays.
std::vector<GroupLag> lagsOf(std::span<const Report* const> reports);

} // namespace commtap
