// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/missing_call.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/hang/message_match.h"
#include "report/hang/usual_order.h"
#include "report/model/model.h"

namespace commtap {
namespace {

/// Replaces the call in which the waiter waits by the first one of the group that the late rank has not made.
void findFirst(MissingCall& missing) {
  const HangGroup& group = *missing.wait->group;
  const HangMember* member = group.memberOf(missing.rank);
  const bool has_report = member != nullptr && member->sight != nullptr; // else it is not known what it has issued
  if (has_report && !isPointToPoint(missing.call->kind)) {
    const LastCollective* first = firstMissing(group, *member, missing.waiter);
    missing.call = first == nullptr ? missing.call : first;
  }
}

/// Returns the first wait for a late rank in each group. Thousands of ranks may wait in one.
std::map<const HangGroup*, MissingCall> firstWaits(const std::vector<int64_t>& late, const WaitFacts& facts) {
  const std::set<int64_t> wanted(late.begin(), late.end());
  std::map<const HangGroup*, MissingCall> found;
  for (const auto& [rank, wait] : facts.waits) {
    const std::vector<int64_t>& blockers = facts.graph.blockersOf(rank);
    const auto blocker =
        std::find_if(blockers.begin(), blockers.end(), [&wanted](int64_t each) { return wanted.contains(each); });
    if (blocker == blockers.end()) {
      continue;
    }
    const MissingCall missing{&wait, rank, *blocker, wait.call};
    const auto [entry, is_new] = found.emplace(wait.group, missing);
    if (!is_new && wait.call->issued_at_ns < entry->second.wait->call->issued_at_ns) {
      entry->second = missing;
    }
  }
  return found;
}

/// Returns whether the late rank would have made this call next.
bool isUsual(const MissingCall& missing, const HangGroups& groups) {
  const RankSight* sight = groups.sightOf(missing.rank);
  if (sight == nullptr) {
    return false;
  }
  const std::vector<const LastCollective*> made = lastCalls(*sight->report);
  const std::optional<size_t> next = usualAfter(made, made.size());
  return next && areAlikeInGroup(*made[*next], *missing.call);
}

/// Returns the collective of the waiter with the number that `made` took the place of; what the rank made later in the
/// group has the numbers from there on. Returns nullptr if no report holds it.
const LastCollective* leftOutCall(const Wait& wait, int64_t waiter, const Report& report, const LastCollective* made) {
  uint64_t sequence = 1;
  for (const LastCollective& call : report.last) {
    if (&call == made) {
      break;
    }
    const bool is_before = call.group == wait.call->group && !isPointToPoint(call.kind);
    sequence = is_before ? call.sequence + 1 : sequence;
  }
  const LastCollective* call = wait.group->memberOf(waiter)->call(sequence);
  return isPointToPoint(wait.call->kind) || call == nullptr ? wait.call : call;
}

/// Returns what `rank` left out; nullopt if that is not the call in which `waiter` waits for it.
std::optional<LeftOutCall> leftOutFor(int64_t waiter, int64_t rank, const WaitFacts& facts) {
  const RankSight* sight = facts.groups.sightOf(rank);
  if (sight == nullptr) {
    return std::nullopt;
  }
  const Wait& wait = facts.waits.at(waiter);
  const auto is_missing = [&](const LastCollective& call) {
    return isPointToPoint(wait.call->kind) ? isCounterpart(*wait.group, waiter, *wait.call, call)
                                           : areAlikeInGroup(call, *wait.call);
  };
  const std::vector<const LastCollective*> calls = lastCalls(*sight->report);
  const std::optional<size_t> at = leftOutAt(calls, is_missing);
  if (!at) {
    return std::nullopt;
  }
  return LeftOutCall{rank, waiter, &wait, leftOutCall(wait, waiter, *sight->report, calls[*at]), calls[*at]};
}

} // namespace

std::vector<LeftOutCall> leftOutIn(const std::vector<int64_t>& cycle, const WaitFacts& facts) {
  std::vector<LeftOutCall> in_cycle;
  for (size_t i = 0; i < cycle.size(); ++i) {
    if (const auto found = leftOutFor(cycle[(i + cycle.size() - 1) % cycle.size()], cycle[i], facts)) {
      in_cycle.push_back(*found);
    }
  }
  if (in_cycle.size() != 1) {
    return {};
  }
  std::map<int64_t, LeftOutCall> all = {{in_cycle.front().rank, in_cycle.front()}};
  for (const auto& [waiter, wait] : facts.waits) {
    for (const int64_t rank : facts.graph.blockersOf(waiter)) {
      if (!all.contains(rank) && areAlike(*wait.call, *in_cycle.front().wait->call)) {
        if (const auto found = leftOutFor(waiter, rank, facts)) {
          all.emplace(rank, *found);
        }
      }
    }
  }
  std::vector<LeftOutCall> found;
  for (const auto& [rank, each] : all) {
    found.push_back(each);
  }
  return found;
}

std::optional<MissingCall> missingCall(const std::vector<int64_t>& late, const WaitFacts& facts) {
  const auto keyOf = [&facts](const MissingCall& missing) {
    return std::pair(!isUsual(missing, facts.groups), missing.wait->call->issued_at_ns);
  };
  std::optional<MissingCall> found;
  for (const auto& [group, missing] : firstWaits(late, facts)) {
    MissingCall candidate = missing;
    findFirst(candidate);
    found = !found || keyOf(candidate) < keyOf(*found) ? candidate : found;
  }
  return found;
}

} // namespace commtap
