// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "report/hang/hang_groups.h"

namespace commtap {

/// The sends and receives of a group between two ranks, in one direction. The n-th send and the n-th receive meet.
struct Channel {
  const HangMember* sender = nullptr;
  const HangMember* receiver = nullptr;
  std::vector<const LastCollective*> sent;
  std::vector<const LastCollective*> received;
};

/// Returns the channels of the members whose reports hold all their sends and receives in the group, and that named the
/// peer of each. Messages with tags may meet in another order.
std::vector<Channel> channelsOf(const HangGroup& group);

/// Returns whether `call`, of another rank, may be the other side of a send or receive that `rank` made.
bool isCounterpart(const HangGroup& group, int64_t rank, const LastCollective& message, const LastCollective& call);

/// Returns whether the member's report holds all its sends and receives in the group, with their peers.
bool hasAllMessages(const HangMember& member);

} // namespace commtap
