// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_groups.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "report/job/job_summary.h"
#include "report/model/amounts.h"

namespace commtap {
namespace {

bool comesFirst(const LastCollective* a, const LastCollective* b) {
  return a->sequence < b->sequence;
}

uint64_t issuedIn(const Report& report) {
  return std::accumulate(report.groups.begin(), report.groups.end(), uint64_t{0}, [](uint64_t sum, const Group& group) {
    return sum + group.collectives + group.point_to_point;
  });
}

/// Adds the last calls of a report to its members of groups.
void addCalls(const RankSight& sight, std::map<std::string, HangMember*>& members) {
  for (const LastCollective& call : sight.report->last) {
    const auto member = members.find(call.group);
    if (member != members.end() && call.sequence != 0) {
      (isPointToPoint(call.kind) ? member->second->messages : member->second->calls).push_back(&call);
    }
  }
  for (auto& [name, member] : members) {
    std::sort(member->calls.begin(), member->calls.end(), comesFirst);
    std::sort(member->messages.begin(), member->messages.end(), comesFirst);
  }
}

/// Returns the number of the last collective that a report shows as completed; 0 if none does.
uint64_t lastCompleted(const HangGroup& group) {
  uint64_t completed = 0;
  for (const HangMember& member : group.members) {
    for (const LastCollective* call : member.calls) {
      const bool is_completed = call->state == LastState::kCompleted && leavesTogether(call->kind);
      completed = is_completed ? std::max(completed, call->sequence) : completed;
    }
  }
  return completed;
}

} // namespace

std::optional<int64_t> globalRank(const HangGroup& group, const std::optional<int64_t>& place) {
  if (!place || !group.has_ranks || *place < 0 || static_cast<size_t>(*place) >= group.members.size()) {
    return std::nullopt;
  }
  return group.members[static_cast<size_t>(*place)].rank;
}

const LastCollective* HangMember::call(uint64_t sequence) const {
  const auto found =
      std::lower_bound(calls.begin(), calls.end(), sequence, [](const LastCollective* a, uint64_t wanted) {
        return a->sequence < wanted;
      });
  return found != calls.end() && (*found)->sequence == sequence ? *found : nullptr;
}

RankRanges HangGroup::ranks() const {
  std::vector<int64_t> ranks;
  ranks.reserve(members.size());
  for (const HangMember& member : members) {
    ranks.push_back(member.rank);
  }
  return rankRanges(std::move(ranks));
}

const HangMember* HangGroup::memberOf(int64_t rank) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [rank](const HangMember& member) { return member.rank == rank; });
  return found == members.end() ? nullptr : &*found;
}

bool HangGroup::haveAllJoined() const {
  return std::any_of(members.begin(), members.end(), [](const HangMember& member) {
    return member.completed > 0 || member.issued() > 1;
  });
}

bool HangGroup::hasAllReports() const {
  return std::all_of(members.begin(), members.end(), [this](const HangMember& member) {
    return member.group != nullptr && member.group->size <= members.size();
  });
}

HangGroups::HangGroups(std::span<const RankSight> sights) {
  findGroups(sights);
  for (const RankSight& sight : sights) {
    addMembers(sight);
  }
  for (const RankSight& sight : sights) {
    by_rank_.emplace(sight.rank(), &sight);
  }
  for (HangGroup& group : groups_) {
    const uint64_t completed = lastCompleted(group);
    for (HangMember& member : group.members) { // a rank may have a report, and not this group
      member.sight = sightOf(member.rank);
      member.completed = completed;
    }
  }
}

void HangGroups::findGroups(std::span<const RankSight> sights) {
  using Key = std::tuple<std::string, uint32_t, uint32_t, std::vector<uint32_t>>; // title, how manieth, size, ranks
  std::map<Key, size_t> known;
  for (const RankSight& sight : sights) {
    const std::vector<GroupIdentity> identities = identitiesOf(sight.report->groups);
    for (size_t i = 0; i < identities.size(); ++i) {
      const Group& group = sight.report->groups[i];
      const auto& [title, nth] = identities[i];
      const auto [entry, is_new] = known.emplace(Key(title, nth, group.size, group.ranks), groups_.size());
      if (is_new) {
        HangGroup& made = groups_.emplace_back();
        made.title = title;
        made.has_ranks = !group.ranks.empty();
        for (const uint32_t rank : group.ranks) {
          made.members.emplace_back().rank = rank;
        }
      }
      by_name_.emplace(ReportGroup(sight.report, group.name), entry->second);
    }
  }
}

void HangGroups::addMembers(const RankSight& sight) {
  std::map<std::string, HangMember*> members;
  for (const Group& group : sight.report->groups) {
    HangGroup& all = groups_[by_name_.at({sight.report, group.name})];
    if (!all.has_ranks) {
      all.members.emplace_back().rank = sight.rank();
    }
    const auto member = std::find_if(all.members.begin(), all.members.end(), [&sight](const HangMember& each) {
      return each.rank == sight.rank() && each.group == nullptr;
    });
    if (member != all.members.end()) {
      member->group = &group;
      members.emplace(group.name, &*member);
    }
  }
  addCalls(sight, members);
}

const RankSight* HangGroups::sightOf(int64_t rank) const {
  const auto found = by_rank_.find(rank);
  return found == by_rank_.end() ? nullptr : found->second;
}

const HangGroup* HangGroups::groupOf(const Report& report, const std::string& name) const {
  const auto found = by_name_.find({&report, name});
  return found == by_name_.end() ? nullptr : &groups_[found->second];
}

const EnteredCall* openCallOf(const Report& report) {
  return report.open_calls.empty() ? nullptr : &report.open_calls.front();
}

bool makesGroup(std::string_view function) {
  return !function.empty() && !function.starts_with("nccl");
}

HangCall hangCallOf(const HangGroup& group, int64_t rank, const LastCollective& call) {
  HangCall made;
  made.ranks = {{rank, rank}};
  made.group = group.title;
  made.members = group.ranks();
  made.sequence = call.sequence;
  made.kind = call.kind;
  made.op = call.op;
  made.module = call.module;
  made.phase = call.phase;
  made.bytes = call.bytes;
  made.dtype = call.dtype;
  made.reduce_op = call.reduce_op;
  made.root = globalRank(group, call.root);
  made.peer = globalRank(group, call.peer);
  made.step = call.step;
  made.issued_at_ns = call.issued_at_ns;
  return made;
}

std::vector<const Report*> oneProcessPerRank(std::span<const Report* const> reports) {
  const Job* newest = nullptr;
  for (const Report* report : reports) {
    const Job& job = report->job;
    const bool is_newer =
        newest == nullptr ||
        (job.run_id == newest->run_id ? job.attempt > newest->attempt : job.started_at_ns > newest->started_at_ns);
    newest = job.rank && is_newer ? &job : newest;
  }
  std::map<int64_t, const Report*> by_rank;
  for (const Report* report : reports) {
    const Job& job = report->job;
    if (newest != nullptr && job.rank && job.run_id == newest->run_id && job.attempt == newest->attempt) {
      const Report*& kept = by_rank[*job.rank];
      kept = kept == nullptr || issuedIn(*report) > issuedIn(*kept) ? report : kept;
    }
  }
  std::vector<const Report*> kept;
  for (const auto& [rank, report] : by_rank) {
    kept.push_back(report);
  }
  return kept;
}

std::vector<RankSight> sightsOf(std::span<const Report* const> reports) {
  std::vector<RankSight> sights;
  for (const Report* report : oneProcessPerRank(reports)) {
    sights.push_back({report, {}});
  }
  return sights;
}

std::vector<std::vector<const Report*>> attemptsOf(std::span<const Report* const> reports) {
  std::map<std::pair<std::string, int64_t>, std::vector<const Report*>> by_attempt;
  for (const Report* report : reports) {
    by_attempt[{report->job.run_id, report->job.attempt}].push_back(report);
  }
  std::vector<std::vector<const Report*>> attempts;
  for (auto& [attempt, of_attempt] : by_attempt) {
    attempts.push_back(std::move(of_attempt));
  }
  return attempts;
}

} // namespace commtap
