// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace commtap {
namespace {

using Steps = std::span<const StepSamples>;

constexpr size_t kFewestShared = 2;   ///< one step does not show what is the same in every step
constexpr double kMostByChance = 0.5; ///< of the rows

/// Returns about which part of the rows of the smaller batch the other one has too. Both have rows. If more
/// rows than hashes were kept, the smallest hashes of both are a random choice (Broder 1997).
double sharedPart(const SampledBatch& one, const SampledBatch& other) {
  std::vector<uint64_t> both;
  std::set_intersection(
      one.hashes.begin(), one.hashes.end(), other.hashes.begin(), other.hashes.end(), std::back_inserter(both));
  const auto least = static_cast<double>(std::min(one.rows, other.rows));
  if (std::max(one.rows, other.rows) <= SampledBatch::kMostHashes) {
    return static_cast<double>(both.size()) / least;
  }
  std::vector<uint64_t> all;
  std::set_union(
      one.hashes.begin(), one.hashes.end(), other.hashes.begin(), other.hashes.end(), std::back_inserter(all));
  all.resize(std::min(all.size(), SampledBatch::kMostHashes));
  const auto among = std::count_if(both.begin(), both.end(), [&all](uint64_t hash) { return hash <= all.back(); });
  const double similar = static_cast<double>(among) / static_cast<double>(all.size());
  return std::min(1.0, similar / (1 + similar) * static_cast<double>(one.rows + other.rows) / least);
}

/// The ranks whose gradients are reduced together, and that read data of their own.
class DataRanks {
 public:
  DataRanks(Steps steps, const JobFacts& facts) {
    for (const StepSamples& step : steps) {
      for (const StepReduction& reduction : step.reductions) {
        groups_.insert(reduction.group->ranks);
      }
    }
    // A group whose gradients are reduced gathers parameters.
    for (const GroupRanks& gathers : facts.gathers) {
      if (!groups_.contains(gathers)) {
        exchanges_.insert(gathers);
      }
    }
    exchanges_.insert(facts.activations.begin(), facts.activations.end());
    exchanges_.insert(facts.messages.begin(), facts.messages.end());
  }
  const std::set<GroupRanks>& groups() const {
    return groups_;
  }
  /// Returns whether two ranks are to read different samples.
  bool areApart(int64_t one, int64_t other) const {
    return haveBoth(groups_, one, other) && !haveBoth(exchanges_, one, other);
  }

 private:
  static bool haveBoth(const std::set<GroupRanks>& groups, int64_t one, int64_t other) {
    return std::any_of(groups.begin(), groups.end(), [&](const GroupRanks& group) {
      const auto has = [&group](int64_t rank) {
        return std::binary_search(group.begin(), group.end(), static_cast<uint32_t>(rank));
      };
      return has(one) && has(other);
    });
  }

  std::set<GroupRanks> groups_;
  std::set<GroupRanks> exchanges_;
};

using Ranks = std::vector<int64_t>;
using Batches = std::map<uint64_t, const SampledBatch*>; ///< of a rank, by step

/// Returns the ranks' batches of an optimizer's steps. Leaves out ranks that take the same rows in every step.
std::map<int64_t, Batches> batchesOf(Steps steps, uint32_t optimizer) {
  std::map<int64_t, Batches> batches;
  for (const StepSamples& step : steps) {
    for (const auto& [rank, sample] : step.samples) {
      if (step.optimizer == optimizer && sample->batch.rows > 0) {
        batches[rank][step.step] = &sample->batch;
      }
    }
  }
  std::erase_if(batches, [](const auto& entry) {
    const auto is_as_first = [&](const auto& each) { return each.second->sum == entry.second.begin()->second->sum; };
    return std::all_of(entry.second.begin(), entry.second.end(), is_as_first);
  });
  return batches;
}

/// Returns the least part of the rows that two ranks share in a step that both have; 0 if there are too few such steps.
double sharedAlways(const Batches& one, const Batches& other) {
  double least = 1;
  size_t steps = 0;
  for (auto batch = one.begin(); batch != one.end() && least > 0; ++batch) {
    if (const auto same = other.find(batch->first); same != other.end()) {
      least = std::min(least, sharedPart(*batch->second, *same->second));
      ++steps;
    }
  }
  return steps < kFewestShared ? 0 : least;
}

FoundFault faultOf(double part, std::vector<int64_t> ranks, uint32_t optimizer, uint64_t first, uint64_t last) {
  FoundFault fault;
  fault.finding.severity = part > kMostByChance ? VerifySeverity::kWarning : VerifySeverity::kNote;
  fault.finding.what = VerifyClass::kSameData;
  fault.finding.optimizer = optimizer;
  fault.finding.step = first;
  fault.finding.last_step = last;
  fault.finding.ratio = part;
  fault.parts = {std::move(ranks)};
  return fault;
}

/// Compares each rank with the first ones that read other samples: it reads those of one of them, or shares some.
void addSameRows(Steps steps, uint32_t optimizer, const DataRanks& data, std::vector<FoundFault>& faults) {
  const std::map<int64_t, Batches> batches = batchesOf(steps, optimizer);
  std::map<int64_t, std::pair<Ranks, double>> readers; // by their first rank: the others, and their part
  for (const auto& [rank, of_rank] : batches) {
    const uint64_t first = of_rank.begin()->first;
    const uint64_t last = of_rank.rbegin()->first;
    std::pair<double, int64_t> most(0, rank);
    for (const auto& [other, found] : readers) {
      const double part = sharedAlways(batches.at(other), of_rank);
      most = part > most.first && data.areApart(other, rank) ? std::pair(part, other) : most;
    }
    if (most.first > 0 && most.first <= kMostByChance) {
      faults.push_back(faultOf(most.first, {most.second, rank}, optimizer, first, last));
    }
    auto& [ranks, part] =
        readers.try_emplace(most.first > kMostByChance ? most.second : rank, Ranks(), 1).first->second;
    ranks.push_back(rank);
    part = most.first > kMostByChance ? std::min(part, most.first) : part;
  }
  for (auto& [rank, found] : readers) {
    const Batches& of_first = batches.at(rank);
    if (found.first.size() > 1) {
      faults.push_back(
          faultOf(found.second, std::move(found.first), optimizer, of_first.begin()->first, of_first.rbegin()->first));
    }
  }
}

/// The inputs of a rank to the reductions over some ranks in all sampled steps.
struct Inputs {
  std::vector<uint64_t> bits;
  std::set<uint64_t> steps;
  bool is_telling = false; ///< not only zeros, or elements that are all equal
  bool is_finite = true;
};

std::map<int64_t, Inputs> inputsOf(Steps steps, uint32_t optimizer, const GroupRanks& group) {
  std::map<int64_t, Inputs> inputs;
  for (const StepSamples& step : steps) {
    for (const StepReduction& reduction : step.reductions) {
      for (size_t place = 0; step.optimizer == optimizer && reduction.group->ranks == group && place < group.size();
           ++place) {
        const Digest& digest = reduction.inputs[place]->input;
        Inputs& of_rank = inputs[group[place]];
        of_rank.bits.push_back(digest.bits);
        of_rank.steps.insert(step.step);
        of_rank.is_telling |= !digest.is_constant;
        of_rank.is_finite &= !digest.has_non_finite;
      }
    }
  }
  return inputs;
}

/// Adds ranks whose inputs are equal in every reduction over a group, of every sampled step. Ranks whose rows show it
/// are found already.
void addSameGradients(Steps steps, uint32_t optimizer, const DataRanks& data, std::vector<FoundFault>& faults) {
  std::set<int64_t> found;
  for (const FoundFault& fault : faults) {
    if (fault.finding.severity == VerifySeverity::kWarning && fault.finding.optimizer == optimizer) {
      found.insert(fault.parts.front().begin(), fault.parts.front().end());
    }
  }
  for (const GroupRanks& group : data.groups()) {
    std::map<std::vector<uint64_t>, std::vector<int64_t>> alike;
    const std::map<int64_t, Inputs> inputs = inputsOf(steps, optimizer, group);
    for (const auto& [rank, of_rank] : inputs) {
      if (of_rank.is_telling && of_rank.is_finite && of_rank.steps.size() >= kFewestShared && !found.contains(rank)) {
        alike[of_rank.bits].push_back(rank);
      }
    }
    for (auto& [bits, ranks] : alike) {
      if (ranks.size() > 1 && data.areApart(ranks.front(), ranks.back())) {
        const std::set<uint64_t>& of_first = inputs.at(ranks.front()).steps;
        FoundFault fault = faultOf(1, std::move(ranks), optimizer, *of_first.begin(), *of_first.rbegin());
        fault.finding.evidence = ReplicaEvidence::kGradients;
        faults.push_back(std::move(fault));
      }
    }
  }
}

} // namespace

std::vector<FoundFault> dataFaults(Steps steps, const JobFacts& facts) {
  std::vector<FoundFault> faults;
  std::set<uint32_t> optimizers;
  for (const StepSamples& step : steps) {
    optimizers.insert(step.optimizer);
  }
  const DataRanks data(steps, facts);
  for (const uint32_t optimizer : optimizers) {
    addSameRows(steps, optimizer, data, faults);
    addSameGradients(steps, optimizer, data, faults);
  }
  return faults;
}

} // namespace commtap
