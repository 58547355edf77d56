// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/python_host.h"

namespace commtap {

/// Notes in the ledger which calls that make process groups threads have entered, such as new_group, until they return:
/// all ranks have to make them. torch reports them to its counters of waits (c10/util/WaitCounter.h).
class GroupCalls {
 public:
  /// The Python part's new_groups_ranks.
  using ReadRanks = CommtapGroupRanks (*)(CommtapTakeRank take, void* data);

  /// Call once: torch keeps what it is given.
  static void start(ReadRanks read_ranks);
};

} // namespace commtap
