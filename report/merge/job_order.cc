// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_order.h"

#include <algorithm>
#include <string_view>

namespace commtap {
namespace {

/// Frees the calls that each rank has issued: only those beyond can be missing from a rank.
template <typename Calls>
void dropCommonPart(Calls& furthest, const std::vector<uint64_t>& last_sequences) {
  const uint64_t least = *std::min_element(last_sequences.begin(), last_sequences.end());
  furthest = Calls(
      std::find_if(furthest.begin(), furthest.end(), [least](const auto& call) { return call.sequence > least; }),
      furthest.end());
}

} // namespace

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

void JobOrder::compare(int64_t rank, Instance& instance, const Calls& calls) const {
  auto reference = instance.reference.begin();
  for (const Call& call : calls) {
    while (reference != instance.reference.end() && reference->sequence < call.sequence) {
      ++reference;
    }
    if (reference == instance.reference.end()) {
      return;
    }
    if (reference->sequence == call.sequence && reference->what != call.what) {
      instance.deviants.push_back({rank, call, *reference});
      return;
    }
  }
}

void JobOrder::noteFurthest(int64_t rank, Instance& instance, const Calls& calls) {
  const uint64_t last = calls.empty() ? 0 : calls.back().sequence;
  instance.last_sequences.push_back(last);
  if (instance.furthest.empty() || last > instance.furthest.back().sequence) {
    instance.furthest = calls;
    instance.furthest_rank = rank;
  }
}

void JobOrder::endRank(int64_t rank, const JobGroups& groups) {
  endProcess();
  for (auto& [id, calls] : coming_) {
    // Threads that issue concurrently may have recorded their calls out of order.
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.sequence < b.sequence; });
    Instance& instance = instances_[id];
    noteFurthest(rank, instance, calls);
    if (instance.ranks.empty()) {
      instance.reference = std::move(calls);
    } else {
      compare(rank, instance, calls);
    }
    instance.ranks.push_back(rank);
    if (instance.ranks.size() == groups.membersOf(id).size()) {
      instance.reference = Calls();
      dropCommonPart(instance.furthest, instance.last_sequences);
    }
  }
  dropRank();
}

std::optional<int64_t> JobOrder::furthestRank(uint32_t instance) const {
  const auto found = instances_.find(instance);
  return found == instances_.end() ? std::nullopt : std::optional(found->second.furthest_rank);
}

std::optional<std::vector<Disagreement::Call>> JobOrder::missedBy(uint32_t instance, int64_t rank) const {
  const auto found = instances_.find(instance);
  if (found == instances_.end() || !found->second.deviants.empty()) {
    return std::nullopt;
  }
  const Instance& group = found->second;
  const auto place = std::lower_bound(group.ranks.begin(), group.ranks.end(), rank);
  const bool has_calls = place != group.ranks.end() && *place == rank;
  uint64_t next = 1 + (has_calls ? group.last_sequences[static_cast<size_t>(place - group.ranks.begin())] : 0);
  std::vector<Disagreement::Call> missed;
  for (const Call& call : group.furthest) {
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

Disagreement::Value JobOrder::valueOf(const Call& call, std::vector<int64_t> ranks) const {
  const LastCollective& what = *distinct_[call.what];
  const std::optional<uint64_t> bytes = hasEqualBytes(what.kind) ? std::optional(what.bytes) : std::nullopt;
  return {.ranks = rankRanges(std::move(ranks)), .bytes = bytes, .call = described(call)};
}

Disagreement JobOrder::disagreementOf(const Instance& instance) const {
  const auto first =
      std::min_element(instance.deviants.begin(), instance.deviants.end(), [](const Deviant& a, const Deviant& b) {
        return a.mine.sequence < b.mine.sequence;
      });
  std::map<uint32_t, std::pair<Call, std::vector<int64_t>>> sides; // by Call::what
  std::vector<int64_t> others = instance.ranks;
  for (const Deviant& deviant : instance.deviants) {
    if (deviant.mine.sequence == first->mine.sequence) {
      sides.try_emplace(deviant.mine.what, deviant.mine, std::vector<int64_t>())
          .first->second.second.push_back(deviant.rank);
      others.erase(std::find(others.begin(), others.end(), deviant.rank));
    }
  }
  sides.emplace(first->first_ranks.what, std::pair(first->first_ranks, others));
  std::vector<const std::pair<Call, std::vector<int64_t>>*> sorted;
  sorted.reserve(sides.size());
  for (const auto& [what, side] : sides) {
    sorted.push_back(&side);
  }
  std::stable_sort(
      sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->second.size() > b->second.size(); });
  Disagreement disagreement;
  disagreement.what = Disagreement::What::kOrder;
  disagreement.sequence = first->mine.sequence;
  disagreement.kind = distinct_[sorted[0]->first.what]->kind;
  for (const auto* side : sorted) {
    disagreement.values.push_back(valueOf(side->first, side->second));
  }
  return disagreement;
}

std::vector<Disagreement> JobOrder::take(const JobGroups& groups) const {
  std::vector<Disagreement> found;
  for (const auto& [id, instance] : instances_) {
    if (!instance.deviants.empty()) {
      found.push_back(disagreementOf(instance));
      found.back().group = groups.groupOf(id);
      found.back().members = groups.membersOf(id);
    }
  }
  std::sort(found.begin(), found.end(), [](const Disagreement& a, const Disagreement& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size() : a.members < b.members;
  });
  return found;
}

} // namespace commtap
