// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/replicas/replica_split.h"

namespace commtap {

/// Returns a parameter whose values differ from the start on ranks that hold replicas of others and exchange nothing in
/// the forward, as data parallel ranks do; nullopt if it is none. Its cause is kFrozen if no rank changes it.
std::optional<FoundFault> ReplicaFaults::ownValuesOf(const ParameterTrack& track, const RankTracks& ranks) {
  const SampledOptimizer& optimizer = tracks_.optimizerOf(track);
  ReplicaSplit split;
  split.step = commonStepOf(ranks);
  split.parts = partsAt(ranks, split.step);
  const auto is_frozen = [](const RankTracks& part) {
    const std::vector<const SampledParameter*>& facts = part.front()->row_facts;
    return changesOf(*part.front()) == 0 &&
           std::none_of(facts.begin(), facts.end(), [](const auto* each) { return each && each->requires_grad; });
  };
  const auto is_own = [&split](const RankTracks& part) {
    const SampledParameter& facts = *part.front()->facts;
    return facts.has_model_name && !isDeclaredShard(facts) && !part.front()->row(split.step)->value.is_constant;
  };
  const auto is_trained = [](const RankTracks& part) {
    return part.front()->facts->is_in_optimizer && changesOf(*part.front()) > 0;
  };
  if (split.parts.size() < 2 || !std::all_of(split.parts.begin(), split.parts.end(), is_own)) {
    return std::nullopt;
  }
  const bool are_frozen = std::all_of(split.parts.begin(), split.parts.end(), is_frozen);
  const bool is_copy = !are_frozen && isRankCopy(split);
  if (!are_frozen && !is_copy && !std::all_of(split.parts.begin(), split.parts.end(), is_trained)) {
    return std::nullopt;
  }
  const RankParts parts = commtap::ranksOf(split.parts);
  const SplitDifference difference = differenceOf(split, optimizer);
  const RoundingBounds bounds = roundingBounds(split.parts[0][0]->facts->dtype, facts_.coarse_dtype, 0);
  if (parts_.of(parts).in_step == 0 || !difference.values || isRounding(*difference.values, std::nullopt, bounds) ||
      std::any_of(parts.begin() + 1, parts.end(), [&](const std::vector<int64_t>& part) {
        return facts_.exchangesInForward(parts.front(), part);
      })) {
    return std::nullopt;
  }
  FoundFault fault;
  fault.finding = findingOf(split, difference, track, optimizer);
  fault.finding.what = is_copy ? VerifyClass::kRankCopy : VerifyClass::kNeverEqual;
  fault.finding.cause = are_frozen ? DifferenceCause::kFrozen : DifferenceCause::kUnknown;
  fault.parameter = track.name;
  fault.parts = parts;
  return fault;
}

/// Frozen parameters were to be equal, if nothing else differs. Others may be heads or adapters of one rank.
void ReplicaFaults::judgeOwnValues() {
  std::vector<FoundFault> found;
  std::set<RankParts> with_trained;
  for (const ParameterTrack& track : tracks_.all()) {
    const bool is_judged = replicated_.contains(track.name);
    for (const RankTracks& ranks : is_judged ? std::vector<RankTracks>() : comparableRanks(track, facts_)) {
      if (std::optional<FoundFault> fault = ownValuesOf(track, ranks)) {
        if (fault->finding.what == VerifyClass::kNeverEqual && fault->finding.cause != DifferenceCause::kFrozen) {
          with_trained.insert(fault->parts);
        }
        found.push_back(std::move(*fault));
      }
    }
  }
  for (FoundFault& fault : found) {
    const bool is_fault = fault.finding.cause == DifferenceCause::kFrozen && !with_trained.contains(fault.parts);
    fault.finding.severity = is_fault ? VerifySeverity::kWarning : VerifySeverity::kNote;
    faults_.push_back(std::move(fault));
  }
}

namespace {

/// Returns the name without its numbers: those of layers differ between stages.
std::string withoutNumbers(std::string name) {
  std::erase_if(name, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return name;
}

/// Parameters of two names on the ranks of two stages that start with the same values.
using Tied = std::pair<const ParameterTrack*, const ParameterTrack*>;

/// Returns whether two parameters whose first values are equal, and not constant, are of two stages.
bool mayBeTied(const ParameterTrack& one, const ParameterTrack& other, const JobFacts& facts) {
  const SampledParameter& a = *one.ranks[0].facts;
  const SampledParameter& b = *other.ranks[0].facts;
  const auto has = [&one](const RankTrack& rank) { return one.of(rank.rank) != nullptr; };
  return one.optimizer == other.optimizer && a.is_in_optimizer && b.is_in_optimizer && a.local_shape.size() > 1 &&
         a.local_shape == b.local_shape && a.dtype == b.dtype && a.has_model_name && b.has_model_name &&
         withoutNumbers(one.name) != withoutNumbers(other.name) &&
         std::none_of(other.ranks.begin(), other.ranks.end(), has) &&
         facts.hasMessages(std::array{one.ranks[0].rank}, std::array{other.ranks[0].rank});
}

/// Returns the only such pair of the ranks of each two stages. Stages that were drawn with one seed have several.
std::vector<Tied> tiedNames(const ParameterTracks& tracks, const JobFacts& facts) {
  std::map<uint64_t, std::vector<const ParameterTrack*>> alike;   // by the bits of the first values
  std::map<std::pair<int64_t, int64_t>, std::vector<Tied>> pairs; // by the first ranks
  for (const ParameterTrack& track : tracks.all()) {
    std::vector<const ParameterTrack*>& others = alike[firstRowOf(track.ranks[0]).value.bits];
    for (const ParameterTrack* one : others) {
      if (mayBeTied(*one, track, facts)) {
        pairs[std::minmax(one->ranks[0].rank, track.ranks[0].rank)].emplace_back(one, &track);
      }
    }
    if (!firstRowOf(track.ranks[0]).value.is_constant) {
      others.push_back(&track);
    }
  }
  std::vector<Tied> tied;
  for (const auto& [ranks, of_ranks] : pairs) {
    if (of_ranks.size() == 1) {
      tied.push_back(of_ranks[0]);
    }
  }
  return tied;
}

} // namespace

void ReplicaFaults::judgeTied() {
  for (const auto& [one, other] : tiedNames(tracks_, facts_)) {
    RankTracks members;
    for (const ParameterTrack* track : {one, other}) {
      for (const RankTrack& rank : track->ranks) {
        members.push_back(&rank);
      }
    }
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->rank < b->rank; });
    const SampledOptimizer& optimizer = tracks_.optimizerOf(*one);
    const std::optional<ReplicaSplit> split = firstSplit(members, 0);
    const SplitDifference difference = split ? differenceOf(*split, optimizer) : SplitDifference{.values = 0};
    const RoundingBounds bounds = roundingBounds(members[0]->facts->dtype, facts_.coarse_dtype, 0);
    if (difference.values && isRounding(*difference.values, std::nullopt, bounds)) {
      ++replicas_[commtap::ranksOf({members}).front()];
      addReplicated(*one, !split);
      addReplicated(*other, !split);
      continue;
    }
    FoundFault fault;
    fault.finding = findingOf(*split, difference, *one, optimizer);
    fault.finding.severity = VerifySeverity::kWarning;
    fault.finding.what = VerifyClass::kTied;
    fault.finding.evidence = ReplicaEvidence::kStart;
    fault.parts = commtap::ranksOf(split->parts);
    for (const ParameterTrack* track : {one, other}) {
      apart_.insert(track->name);
      fault.parameter = track->name;
      faults_.push_back(fault);
    }
  }
}

namespace {

/// Returns whether the buffer has the statistics of a norm, which each rank gathers from its own data.
bool isStatistic(std::string_view name) {
  return name.ends_with(".running_mean") || name.ends_with(".running_var") || name.ends_with(".num_batches_tracked");
}

} // namespace

/// Compares buffers of ranks that hold replicas of parameters. The first sample is taken after a forward: one that is
/// equal in it is changed by other code, as the biases of a router are.
void ReplicaFaults::judgeBuffers() {
  for (const ParameterTrack& track : tracks_.buffers()) {
    for (const RankTracks& ranks : comparableRanks(track, facts_)) {
      const std::optional<ReplicaSplit> split = firstSplit(ranks, 0);
      const RankParts parts = split ? commtap::ranksOf(split->parts) : RankParts();
      if (split && (parts_.of(parts).in_step == 0 ||
                    (!split->before && facts_.exchangesInForward(parts[0], std::span(parts[1]))))) {
        continue;
      }
      ++buffers_;
      equal_buffers_ += split ? 0 : 1;
      if (split) {
        const SampledOptimizer& optimizer = tracks_.optimizerOf(track);
        FoundFault& fault = faults_.emplace_back();
        fault.finding = findingOf(*split, differenceOf(*split, optimizer), track, optimizer);
        const bool is_fault = split->before && !isStatistic(track.name);
        fault.finding.severity = is_fault ? VerifySeverity::kWarning : VerifySeverity::kNote;
        fault.finding.what = VerifyClass::kBuffers;
        fault.finding.cause = DifferenceCause::kUnknown;
        fault.parameter = track.name;
        fault.parts = parts;
      }
    }
  }
}

} // namespace commtap
