// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_order.h"

#include <algorithm>
#include <string_view>

namespace commtap {

uint32_t JobOrder::idOf(const LastCollective& call) {
  const auto [entry, is_new] = ids_.try_emplace(call, static_cast<uint32_t>(distinct_.size()));
  if (is_new) {
    distinct_.push_back(&entry->first);
  }
  return entry->second;
}

Disagreement::Call JobOrder::described(const Call& call) const {
  const LastCollective& what = *distinct_[call.what];
  return {modules_.text(call.module), what.op, what.kind, what.dtype, what.reduce_op, what.root};
}

void JobOrder::add(const LastCollective& call, uint32_t instance) {
  if (instance == GroupPlace::kUnknown || isPointToPoint(call.kind) || call.kind == Kind::kOther) {
    return;
  }
  coming_process_[instance].push_back({call.sequence, idOf(call), modules_.id(call.module)});
}

void JobOrder::endProcess() {
  coming_.merge(coming_process_);
  coming_process_.clear();
}

void JobOrder::dropRank() {
  coming_.clear();
  coming_process_.clear();
}

void JobOrder::endRank(int64_t rank, const JobGroups& groups) {
  endProcess();
  for (auto& [id, calls] : coming_) {
    // Threads that issue concurrently may have recorded their calls out of order.
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.sequence < b.sequence; });
    Instance& instance = instances_[id];
    instance.add(rank, calls);
    if (instance.ranks().size() == groups.membersOf(id).size()) {
      instance.dropCommonPart();
    }
  }
  dropRank();
}

std::optional<int64_t> JobOrder::furthestRank(uint32_t instance) const {
  const auto found = instances_.find(instance);
  if (found == instances_.end()) {
    return std::nullopt;
  }
  const std::vector<Instance::Rank>& ranks = found->second.ranks();
  return std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.last < b.last; })
      ->rank;
}

std::optional<std::vector<Disagreement::Call>> JobOrder::missedBy(uint32_t instance, int64_t rank) const {
  const auto found = instances_.find(instance);
  if (found == instances_.end() || !found->second.areEqual()) {
    return std::nullopt;
  }
  const std::vector<Instance::Rank>& ranks = found->second.ranks();
  const auto place =
      std::lower_bound(ranks.begin(), ranks.end(), rank, [](const auto& each, int64_t of) { return each.rank < of; });
  uint64_t next = 1 + (place != ranks.end() && place->rank == rank ? place->last : 0);
  std::vector<Disagreement::Call> missed;
  for (const Call& call : found->second.known()) {
    if (call.sequence < next) {
      continue;
    }
    if (call.sequence != next++) {
      return std::nullopt;
    }
    missed.push_back(described(call));
  }
  return missed;
}

Disagreement::Value JobOrder::valueOf(const Instance::Side& side) const {
  const LastCollective& what = *distinct_[side.call.what];
  const std::optional<uint64_t> bytes = hasEqualBytes(what.kind) ? std::optional(what.bytes) : std::nullopt;
  return {.ranks = rankRanges(side.ranks), .bytes = bytes, .call = described(side.call)};
}

std::vector<Disagreement> JobOrder::take(const JobGroups& groups) const {
  std::vector<Disagreement> found;
  for (const auto& [id, instance] : instances_) {
    const std::vector<Instance::Side> sides = instance.sides();
    if (sides.empty()) {
      continue;
    }
    Disagreement& disagreement = found.emplace_back();
    disagreement.what = Disagreement::What::kOrder;
    disagreement.sequence = sides[0].call.sequence;
    disagreement.kind = distinct_[sides[0].call.what]->kind;
    for (const Instance::Side& side : sides) {
      disagreement.values.push_back(valueOf(side));
    }
    disagreement.group = groups.groupOf(id);
    disagreement.members = groups.membersOf(id);
  }
  std::sort(found.begin(), found.end(), [](const Disagreement& a, const Disagreement& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size() : a.members < b.members;
  });
  return found;
}

} // namespace commtap
