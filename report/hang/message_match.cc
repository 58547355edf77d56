// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/message_match.h"

#include <algorithm>

namespace commtap {

bool hasAllMessages(const HangMember& member) {
  return member.group != nullptr && member.messages.size() == member.group->point_to_point &&
         std::all_of(member.messages.begin(), member.messages.end(), [](const LastCollective* call) {
           return call->peer.has_value();
         });
}

bool isCounterpart(const HangGroup& group, int64_t rank, const LastCollective& message, const LastCollective& call) {
  return call.group == message.group && isPointToPoint(call.kind) && call.kind != message.kind &&
         globalRank(group, call.peer) == rank && call.bytes == message.bytes && call.dtype == message.dtype;
}

std::vector<Channel> channelsOf(const HangGroup& group) {
  std::map<std::pair<int64_t, int64_t>, Channel> channels;
  for (size_t place = 0; group.has_ranks && place < group.members.size(); ++place) {
    const HangMember& member = group.members[place];
    if (!hasAllMessages(member)) {
      continue;
    }
    for (const LastCollective* call : member.messages) {
      const auto own = static_cast<int64_t>(place);
      const int64_t peer = *call->peer;
      const auto size = static_cast<int64_t>(group.members.size());
      if (peer < 0 || peer >= size || !hasAllMessages(group.members[static_cast<size_t>(peer)])) {
        continue;
      }
      const bool sends = call->kind == Kind::kSend;
      Channel& channel = channels[sends ? std::pair(own, peer) : std::pair(peer, own)];
      channel.sender = &group.members[static_cast<size_t>(sends ? own : peer)];
      channel.receiver = &group.members[static_cast<size_t>(sends ? peer : own)];
      (sends ? channel.sent : channel.received).push_back(call);
    }
  }
  std::vector<Channel> all;
  all.reserve(channels.size());
  for (auto& [ranks, channel] : channels) {
    all.push_back(std::move(channel));
  }
  return all;
}

} // namespace commtap
