// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_split.h"

#include <algorithm>
#include <map>
#include <set>

#include "report/replicas/replica_sets.h"

namespace commtap {

std::optional<OddGradient> firstOddGradient(const RankTracks& members, size_t last) {
  std::optional<size_t> before;
  size_t end = 0;
  for (const RankTrack* member : members) {
    end = std::max(end, member->rows.size());
  }
  for (size_t step = 0; step < end && step <= last; ++step) {
    OddGradient odd;
    for (const RankTrack* member : members) {
      if (hasUsedGradient(*member, step)) {
        (member->row(step)->gradient.has_non_finite ? odd.not_finite : odd.finite).push_back(member);
      }
    }
    if (!odd.finite.empty() && !odd.not_finite.empty()) {
      odd.step = step;
      odd.before = before;
      return odd;
    }
    before = odd.not_finite.empty() && !odd.finite.empty() ? step : before;
  }
  return std::nullopt;
}

namespace {

/// Returns the ranks with equal gradients in a step, two or more.
std::vector<RankTracks> equalGradients(const RankTracks& ranks, size_t step) {
  std::map<uint64_t, RankTracks> by_bits;
  for (const RankTrack* rank : ranks) {
    const SampleRow* row = rank->row(step);
    if (hasWholeGradient(*rank, step) && !row->gradient.is_constant && !row->gradient.has_non_finite) {
      by_bits[row->gradient.bits].push_back(rank);
    }
  }
  std::vector<RankTracks> all;
  for (auto& [bits, members] : by_bits) {
    if (members.size() > 1) {
      all.push_back(std::move(members));
    }
  }
  return all;
}

/// Returns the last place before `end` where all members have a sample, and are equal.
std::optional<size_t> lastEqual(const RankTracks& members, size_t end) {
  for (size_t step = end; step > 0; --step) {
    const std::vector<RankTracks> parts = partsAt(members, step - 1);
    if (parts.size() == 1 && parts[0].size() == members.size()) {
      return step - 1;
    }
  }
  return std::nullopt;
}

/// Returns whether only some parts have the parameter in an optimizer: the others get its values from there, as ZeRO
/// does.
bool isUpdatedElsewhere(const std::vector<RankTracks>& parts, size_t step) {
  const auto is_updated = [step](const RankTracks& part) { return part.front()->row_facts[step]->is_in_optimizer; };
  return std::any_of(parts.begin(), parts.end(), is_updated) && !std::all_of(parts.begin(), parts.end(), is_updated);
}

bool isDeclared(const std::vector<ReplicaSet>& sets, const std::vector<RankTracks>& parts) {
  return std::any_of(sets.begin(), sets.end(), [&parts](const ReplicaSet& set) {
    const auto has = [&set](const RankTracks& part) {
      return std::any_of(part.begin(), part.end(), [&set](const RankTrack* rank) {
        return std::find(set.members.begin(), set.members.end(), rank) != set.members.end();
      });
    };
    return set.isDeclared() && std::count_if(parts.begin(), parts.end(), has) > 1;
  });
}

/// Moves the split to the first sample since the equal one in which the same parts differ, if it is an earlier one.
void moveToFirst(SameGradient& same, const SampledOptimizer& optimizer) {
  RankTracks members;
  for (const RankTracks& part : same.split.parts) {
    members.insert(members.end(), part.begin(), part.end());
  }
  for (size_t step = same.split.before ? *same.split.before + 1 : same.split.step; step < same.split.step; ++step) {
    if (partsAt(members, step) == same.split.parts) {
      same.split.step = step;
      same.difference = differenceOf(same.split, optimizer);
      return;
    }
  }
}

/// Returns what is wrong with ranks that have equal gradients in a step; nullopt if their values are equal too, or as
/// good as.
std::optional<SameGradient> sameGradientAt(
    const ParameterTrack& track,
    const SampledOptimizer& optimizer,
    const JobFacts& facts,
    const RankTracks& members,
    size_t step) {
  SameGradient same;
  same.split.parts = partsAt(members, step);
  if (same.split.parts.size() < 2) {
    return std::nullopt;
  }
  same.track = &track;
  same.split.step = step;
  same.split.before = lastEqual(members, step);
  same.split.proof = ReplicaEvidence::kGradients;
  same.difference = differenceOf(same.split, optimizer);
  const uint64_t before = same.split.before ? optimizer.steps[*same.split.before] : 0;
  const RoundingBounds bounds =
      roundingBounds(members.front()->facts->dtype, facts.coarse_dtype, optimizer.steps[step] - before);
  // An earlier gradient shows that ranks round differently, unless the values differ from the start.
  const bool is_of_update = same.split.before && hadEqualGradients(same.split.parts, step);
  const std::optional<double> gradients = is_of_update ? std::optional(0.0) : std::nullopt;
  if (!same.difference.values || isRounding(*same.difference.values, gradients, bounds)) {
    return std::nullopt;
  }
  moveToFirst(same, optimizer);
  same.is_declared =
      isUpdatedElsewhere(same.split.parts, step) || isDeclared(replicaSetsOf(track, facts), same.split.parts);
  return same;
}

} // namespace

std::vector<SameGradient>
sameGradients(const ParameterTrack& track, const SampledOptimizer& optimizer, const JobFacts& facts) {
  std::vector<SameGradient> found;
  for (const RankTracks& ranks : comparableRanks(track, facts)) {
    std::set<int64_t> seen; // ranks are reported once, at their first such sample
    for (size_t step = 0; step < optimizer.steps.size(); ++step) {
      for (const RankTracks& members : equalGradients(ranks, step)) {
        const bool is_new = !seen.contains(members.front()->rank);
        std::optional<SameGradient> same =
            is_new ? sameGradientAt(track, optimizer, facts, members, step) : std::nullopt;
        if (same) {
          for (const RankTrack* member : members) {
            seen.insert(member->rank);
          }
          found.push_back(std::move(*same));
        }
      }
    }
  }
  return found;
}

} // namespace commtap
