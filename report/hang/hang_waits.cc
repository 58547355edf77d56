// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_waits.h"

#include <algorithm>

#include "report/hang/message_match.h"

namespace commtap {
namespace {

/// A rank waits for this many others at most: which of thousands it is makes no difference.
constexpr size_t kMostBlockers = 1024;

/// Returns whether a rank's part of a collective needs that `other` comes.
bool needs(const HangGroup& group, const LastCollective& call, int64_t rank, int64_t other) {
  const std::optional<int64_t> root = globalRank(group, call.root);
  if (!hasRoot(call.kind) || !root) {
    return true;
  }
  const bool root_receives = call.kind == Kind::kReduce || call.kind == Kind::kGather;
  return root_receives ? *root == rank : *root == other;
}

std::vector<int64_t> blockersOfCollective(const HangGroup& group, const LastCollective& call, int64_t rank) {
  std::vector<int64_t> blockers;
  for (const HangMember& member : group.members) {
    if (member.rank != rank && member.issued() < call.sequence && blockers.size() < kMostBlockers &&
        needs(group, call, rank, member.rank)) {
      blockers.push_back(member.rank);
    }
  }
  return blockers;
}

/// Returns whether the call may have completed: it has returned, and only ranks without a report could show the rest.
bool mayHaveCompleted(const HangGroup& group, const LastCollective& call, const Wait& wait, const Report& report) {
  const bool is_open = call.state == LastState::kIssued || seesCompletions(report, call.group);
  return !is_open && std::all_of(wait.blockers.begin(), wait.blockers.end(), [&group](int64_t rank) {
    const HangMember* member = group.memberOf(rank);
    return member == nullptr || member->sight == nullptr;
  });
}

/// The messages that have not met their counterpart, with the rank that has not made it.
using OpenMessages = std::map<const LastCollective*, int64_t>;

void addOpen(const std::vector<const LastCollective*>& calls, size_t met, int64_t peer, OpenMessages& open) {
  for (size_t i = met; i < calls.size(); ++i) {
    open.emplace(calls[i], peer);
  }
}

OpenMessages openMessagesOf(const HangGroups& groups) {
  OpenMessages open;
  for (const HangGroup& group : groups.all()) {
    for (const Channel& channel : channelsOf(group)) {
      addOpen(channel.sent, channel.received.size(), channel.receiver->rank, open);
      addOpen(channel.received, channel.sent.size(), channel.sender->rank, open);
    }
  }
  return open;
}

/// Returns whether the member's last call is the counterpart of `call`, which the rank at `place` made.
bool hasMet(const HangMember& peer, size_t place, const LastCollective& call) {
  if (peer.messages.empty() || peer.messages.back() != &peer.sight->report->last.back()) {
    return false;
  }
  const LastCollective& last = *peer.messages.back();
  return last.kind != call.kind && last.peer == static_cast<int64_t>(place);
}

/// Returns the peer of a message that no report shows as met, if the message is the rank's last call.
std::vector<int64_t> likelyBlockers(const HangGroup& group, const Report& report, const LastCollective& call) {
  const bool is_last = &call == &report.last.back();
  const HangMember* own = group.memberOf(report.job.rank.value_or(-1));
  if (!is_last || !group.has_ranks || own == nullptr) {
    return {};
  }
  if (!call.peer) { // from any rank
    std::vector<int64_t> others;
    for (const HangMember& member : group.members) {
      if (&member != own && others.size() < kMostBlockers) {
        others.push_back(member.rank);
      }
    }
    return others;
  }
  const auto place = static_cast<size_t>(std::max<int64_t>(*call.peer, 0));
  if (place >= group.members.size()) {
    return {};
  }
  const HangMember& peer = group.members[place];
  const auto own_place = static_cast<size_t>(own - group.members.data());
  const bool is_told = (hasAllMessages(*own) && hasAllMessages(peer)) || hasMet(peer, own_place, call);
  return is_told ? std::vector<int64_t>() : std::vector<int64_t>{peer.rank};
}

/// Returns the last call of the report that waits; nullopt if none does.
std::optional<Wait> waitOf(const Report& report, const HangGroups& groups, const OpenMessages& open) {
  const int64_t rank = report.job.rank.value_or(-1);
  for (auto call = report.last.rbegin(); call != report.last.rend(); ++call) {
    const HangGroup* group = groups.groupOf(report, call->group);
    if (group == nullptr || call->sequence == 0 || call->state >= LastState::kCompleted) {
      continue;
    }
    Wait wait{group, &*call, {}, false};
    if (!isPointToPoint(call->kind)) {
      wait.blockers = blockersOfCollective(*group, *call, rank);
      wait.inferred = mayHaveCompleted(*group, *call, wait, report);
    } else if (const auto found = open.find(&*call); found != open.end()) {
      wait.blockers = {found->second};
    } else {
      wait.blockers = likelyBlockers(*group, report, *call);
      wait.inferred = true;
    }
    if (!wait.blockers.empty()) {
      return wait;
    }
  }
  return std::nullopt;
}

} // namespace

Waits waitsOf(std::span<const RankSight> sights, const HangGroups& groups) {
  const OpenMessages open = openMessagesOf(groups);
  Waits waits;
  for (const RankSight& sight : sights) {
    if (std::optional<Wait> wait = waitOf(*sight.report, groups, open)) {
      waits.emplace(sight.rank(), std::move(*wait));
    }
  }
  return waits;
}

bool seesCompletions(const Report& report, const std::string& group) {
  return report.job.timing.every == 1 &&
         std::any_of(report.last.begin(), report.last.end(), [&group](const LastCollective& call) {
           return call.group == group && call.state == LastState::kCompleted;
         });
}

bool isPassed(const HangGroup& group, const HangMember& member, const LastCollective& call) {
  if (isPointToPoint(call.kind) || call.sequence == 0 || member.call(call.sequence) != &call || !group.has_ranks) {
    return false;
  }
  bool has_gone_on = false;
  for (const HangMember& other : group.members) {
    if (other.issued() < call.sequence) {
      return false;
    }
    const LastCollective* same = other.call(call.sequence);
    const bool is_newest = same != nullptr && same == &other.sight->report->last.back();
    has_gone_on = has_gone_on || other.issued() > call.sequence || (same != nullptr && !is_newest);
  }
  return has_gone_on;
}

const LastCollective* firstMissing(const HangGroup& group, const HangMember& member, int64_t& rank) {
  const LastCollective* missing = nullptr;
  for (const HangMember& other : group.members) {
    const LastCollective* call = other.call(member.issued() + 1);
    if (call != nullptr && (missing == nullptr || call->issued_at_ns < missing->issued_at_ns)) {
      missing = call;
      rank = other.rank;
    }
  }
  return missing;
}

} // namespace commtap
