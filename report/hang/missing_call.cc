// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/missing_call.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/hang/usual_order.h"

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
  const std::vector<LastCollective>& made = sight->report->last;
  const LastCollective* next = usualAfter(made, made.size());
  return next != nullptr && areAlikeInGroup(*next, *missing.call);
}

} // namespace

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
