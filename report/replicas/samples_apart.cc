// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "report/replicas/replica_sets.h"
#include "report/replicas/replica_split.h"

namespace commtap {

std::map<GroupKey, std::vector<Issued>> issuedCollectives(const SampledOptimizer& optimizer, const JobFacts& facts) {
  std::map<GroupKey, std::vector<Issued>> issued;
  for (const auto& [rank, samples] : optimizer.samples) {
    for (size_t step = 0; step < samples.size(); ++step) {
      if (samples[step] == nullptr) {
        continue;
      }
      for (const SampledGroup& group : samples[step]->groups) {
        const auto known = facts.groups.find({rank, group.name});
        if (known != facts.groups.end() && known->second.ranks.size() > 1) {
          std::vector<Issued>& of_group = issued[{group.name, known->second}];
          of_group.resize(samples.size());
          of_group[step][rank] = group.collectives;
        }
      }
    }
  }
  return issued;
}

namespace {

/// Ranks with samples of one step of an optimizer, of which some are known to be of one moment of the job.
class StepMoments {
 public:
  void setTogether(int64_t one, int64_t other) {
    const int64_t first = headOf(one);
    heads_[headOf(other)] = first;
  }
  void setApart(int64_t one, int64_t other) {
    apart_.emplace_back(one, other);
  }

  /// Returns the ranks at another moment than most others, or than the first ones if these are as many.
  std::set<int64_t> ranksApart() {
    if (apart_.empty()) {
      return {};
    }
    for (const auto& [one, other] : apart_) {
      heads_.emplace(one, one);
      heads_.emplace(other, other);
    }
    std::map<int64_t, std::set<int64_t>> sets; // by head
    for (const auto& [rank, head] : heads_) {
      sets[headOf(head)].insert(rank);
    }
    const auto worth = [](const std::set<int64_t>& ranks) { return std::pair(ranks.size(), -*ranks.begin()); };
    int64_t most = sets.begin()->first;
    for (const auto& [head, ranks] : sets) {
      most = worth(sets[most]) < worth(ranks) ? head : most;
    }
    std::set<int64_t> found;
    for (const auto& [one, other] : apart_) {
      for (const int64_t head : {headOf(one), headOf(other)}) {
        if (headOf(one) != headOf(other) && head != most) {
          found.insert(sets[head].begin(), sets[head].end());
        }
      }
    }
    return found;
  }

 private:
  int64_t headOf(int64_t rank) {
    const int64_t head = heads_.emplace(rank, rank).first->second;
    return head == rank ? rank : headOf(head);
  }

  std::map<int64_t, int64_t> heads_; ///< by rank: another of its set, or itself
  std::vector<std::pair<int64_t, int64_t>> apart_;
};

/// Compares how far ranks are in a group with how far they were at first.
void addMoments(const std::vector<Issued>& issued, std::vector<StepMoments>& moments) {
  const auto sampled = std::find_if(issued.begin(), issued.end(), [](const Issued& ranks) { return !ranks.empty(); });
  const int64_t first = sampled->begin()->first;
  std::map<int64_t, int64_t> lead_at_first; // by rank
  Issued last;
  for (size_t step = 0; step < issued.size(); ++step) {
    const auto reference = issued[step].find(first);
    for (const auto& [rank, count] : issued[step]) {
      const bool is_in_use = count > last[rank];
      last[rank] = count;
      if (reference == issued[step].end() || rank == first) {
        continue;
      }
      const auto lead = static_cast<int64_t>(count - reference->second);
      if (lead != lead_at_first.emplace(rank, lead).first->second) {
        moments[step].setApart(first, rank);
      } else if (is_in_use) {
        moments[step].setTogether(first, rank);
      }
    }
  }
}

} // namespace

std::set<const Sample*> samplesApart(const ParameterTracks& tracks, const JobFacts& facts) {
  std::set<const Sample*> apart;
  for (const auto& [number, optimizer] : tracks.optimizers()) {
    std::vector<StepMoments> moments(optimizer.steps.size());
    for (const auto& [group, issued] : issuedCollectives(optimizer, facts)) {
      addMoments(issued, moments);
    }
    for (size_t step = 0; step < moments.size(); ++step) {
      for (const int64_t rank : moments[step].ranksApart()) {
        apart.insert(optimizer.samples.at(rank)[step]);
      }
    }
  }
  return apart;
}

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
