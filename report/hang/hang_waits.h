// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "report/hang/hang_groups.h"

namespace commtap {

/// A call of a rank that cannot complete, or may not have: the last of its kind that the rank issued.
struct Wait {
  const HangGroup* group = nullptr;
  const LastCollective* call = nullptr;
  std::vector<int64_t> blockers; ///< global ranks, at least one
  bool inferred = false;         ///< the rank waits because its last call is a send or receive
};

/// The wait of each rank. A rank that waits for nothing has no entry.
using Waits = std::map<int64_t, Wait>;
Waits waitsOf(std::span<const RankSight> sights, const HangGroups& groups);

/// Returns whether the report shows when collectives of the group complete: the job is timed, and its backend reports
/// them.
bool seesCompletions(const Report& report, const std::string& group);

/// Returns whether all ranks of the group have issued this collective of the member, and one of them has gone on: the
/// member waits for no rank in it.
bool isPassed(const HangGroup& group, const HangMember& member, const LastCollective& call);

/// Returns the first collective that `member` has not issued and another rank has, as the first of them issued it;
/// nullptr if no report holds it. Sets `rank` to that rank.
const LastCollective* firstMissing(const HangGroup& group, const HangMember& member, int64_t& rank);

} // namespace commtap
