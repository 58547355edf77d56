// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/rank_parts.h"

#include <algorithm>

#include "report/replicas/replica_distance.h"
#include "report/replicas/replica_sets.h"
#include "report/replicas/row_facts.h"

namespace commtap {
namespace {

bool containsAny(const std::vector<int64_t>& sorted, const std::vector<int64_t>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [&sorted](int64_t rank) {
    return std::binary_search(sorted.begin(), sorted.end(), rank);
  });
}

/// Returns whether a rank of the first part is in the set, and one of another part.
bool joins(const std::vector<int64_t>& set, const RankParts& parts) {
  return containsAny(set, parts.front()) &&
         std::any_of(parts.begin() + 1, parts.end(), [&set](const auto& part) { return containsAny(set, part); });
}

/// Returns the place of the part that has the rank; the number of parts for none.
size_t partOf(const RankParts& parts, int64_t rank) {
  const auto found = std::find_if(parts.begin(), parts.end(), [rank](const std::vector<int64_t>& part) {
    return std::binary_search(part.begin(), part.end(), rank);
  });
  return static_cast<size_t>(found - parts.begin());
}

/// Returns whether ranks that differ between `parts` differ in `other` too.
bool separates(const RankParts& other, const RankParts& parts) {
  const size_t first = partOf(other, parts.front().front());
  return std::any_of(parts.begin() + 1, parts.end(), [&](const std::vector<int64_t>& part) {
    const size_t place = partOf(other, part.front());
    return first != place && first < other.size() && place < other.size();
  });
}

} // namespace

RankParts ranksOf(const std::vector<RankTracks>& parts) {
  RankParts ranks;
  for (const RankTracks& part : parts) {
    std::vector<int64_t>& numbers = ranks.emplace_back();
    for (const RankTrack* member : part) {
      numbers.push_back(member->rank);
    }
  }
  return ranks;
}

void RankPartsFacts::addInStep(const RankTracks& members) {
  ++in_step_[ranksOf({members}).front()];
}

void RankPartsFacts::addSplit(const std::vector<RankTracks>& parts) {
  ++splits_[ranksOf(parts)];
}

const PartsFacts& RankPartsFacts::of(const RankParts& parts) {
  const auto [place, is_new] = found_.emplace(parts, PartsFacts());
  PartsFacts& facts = place->second;
  if (!is_new) {
    return facts;
  }
  for (const auto& [ranks, count] : in_step_) {
    facts.in_step += joins(ranks, parts) ? count : 0;
  }
  for (const auto& [other, count] : splits_) {
    facts.split += separates(other, parts) ? count : 0;
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    facts.others_differ |= startsDiffer(parts.front().front(), parts[i].front(), "");
    facts.has_shards |= haveShards(parts.front().front(), parts[i].front());
    facts.has_messages |= facts_.hasMessages(parts.front(), parts[i]);
  }
  return facts;
}

bool RankPartsFacts::haveShards(int64_t a, int64_t b) const {
  const std::vector<ParameterTrack>& all = tracks_.all();
  return std::any_of(all.begin(), all.end(), [&](const ParameterTrack& track) {
    const RankTrack* one = track.of(a);
    const RankTrack* other = track.of(b);
    return one != nullptr && other != nullptr && isDeclaredShard(*one->facts) &&
           comparableKey(*one, facts_) != comparableKey(*other, facts_);
  });
}

bool RankPartsFacts::startsDiffer(int64_t a, int64_t b, std::string_view module) const {
  const std::vector<ParameterTrack>& all = tracks_.all();
  return std::any_of(all.begin(), all.end(), [&](const ParameterTrack& track) {
    const RankTrack* one = module.empty() || isBelow(track.name, module) ? track.of(a) : nullptr;
    const RankTrack* other = one == nullptr ? nullptr : track.of(b);
    if (other == nullptr || isDeclaredShard(*one->facts)) {
      return false;
    }
    const size_t start = commonStepOf({one, other});
    const SampleRow* row = one->row(start);
    const SampleRow* other_row = other->row(start);
    return row != nullptr && other_row != nullptr && !row->value.is_constant && !other_row->value.is_constant &&
           row->value.bits != other_row->value.bits &&
           !(start > 0 && isNearStart(*row, *other_row, one->facts->local_shape.size())) &&
           comparableKey(*one, facts_) == comparableKey(*other, facts_);
  });
}

} // namespace commtap
