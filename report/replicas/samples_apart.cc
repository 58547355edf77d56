// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

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

} // namespace commtap
