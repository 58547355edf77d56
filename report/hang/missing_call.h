// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_waits.h"
#include "report/hang/wait_graph.h"

namespace commtap {

/// A call that a rank has not made, and that others wait in.
struct MissingCall {
  const Wait* wait = nullptr;
  int64_t waiter = 0;                   ///< a rank that made the call
  int64_t rank = 0;                     ///< the rank that has not
  const LastCollective* call = nullptr; ///< of `waiter`
};

/// The ranks that wait for each other.
struct WaitFacts {
  const HangGroups& groups;
  const Waits& waits;
  const WaitGraph& graph;
};

/// Returns the call that one of the ranks `late` would have made next, as in the steps before; if that is not known,
/// the first one in which a rank waits for them. Returns nullopt if none waits.
std::optional<MissingCall> missingCall(const std::vector<int64_t>& late, const WaitFacts& facts);

/// A call that a rank left out, and in which another one waits for it.
struct LeftOutCall {
  int64_t rank = 0;
  int64_t waiter = 0;
  const Wait* wait = nullptr;           ///< of `waiter`
  const LastCollective* call = nullptr; ///< of `waiter`: the one that was left out, or the other side of it
  const LastCollective* made = nullptr; ///< by the rank, in its place
};

/// Returns the calls that ranks left out, by rank, if one rank of the cycle did and the others did not: of that rank,
/// and of the ranks that others wait for because of the same call of the model. leftOutAt() finds them.
std::vector<LeftOutCall> leftOutIn(const std::vector<int64_t>& cycle, const WaitFacts& facts);

} // namespace commtap
