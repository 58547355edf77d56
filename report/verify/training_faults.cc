// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace commtap {
namespace {

/// Shards of one tensor that differ in their place on one dimension only: no two of them should be equal.
struct Line {
  std::set<int64_t> places;
  std::set<uint64_t> bits;
  std::set<std::vector<int64_t>> shapes;
  std::vector<int64_t> ranks;
  bool is_constant = false;

  void add(const RankTrack& track, int64_t place) {
    const Digest& value = firstRowOf(track).value;
    places.insert(place);
    bits.insert(value.bits);
    shapes.insert(track.facts->local_shape);
    ranks.push_back(track.rank);
    is_constant |= value.is_constant;
  }
  bool isComparable() const {
    return places.size() > 1 && shapes.size() == 1 && !is_constant;
  }
};

/// A mesh dimension, or a tensor parallel group, on which tensors are sharded.
struct Family {
  ReplicaEvidence evidence = ReplicaEvidence::kMesh;
  std::string name;

  auto operator<=>(const Family&) const = default;
};

using Lines = std::map<Family, std::map<std::vector<int64_t>, Line>>;

void addOfMesh(const RankTrack& track, Lines& lines) {
  const SampledParameter& facts = *track.facts;
  for (size_t i = 0; i < std::min(facts.placements.size(), facts.coordinate.size()); ++i) {
    if (facts.placements[i].find("Shard") != std::string::npos) {
      std::vector<int64_t> others = facts.coordinate;
      others[i] = 0;
      lines[{ReplicaEvidence::kMesh, std::to_string(i) + " of " + facts.mesh}][others].add(track, facts.coordinate[i]);
    }
  }
}

Lines linesOf(const ParameterTrack& track, const JobFacts& facts) {
  Lines lines;
  for (const RankTrack& rank : track.ranks) {
    const GroupRanks* group = facts.tensorGroupOf(rank.rank);
    if (rank.facts->tensor_model_parallel == true && rank.facts->allreduce != false && group != nullptr) {
      lines[{ReplicaEvidence::kTensorParallel, std::to_string(group->front())}][{}].add(rank, rank.rank);
    }
    addOfMesh(rank, lines);
  }
  return lines;
}

/// The parameters of a family.
struct Count {
  size_t all = 0;
  std::vector<FoundFault> twins;
};

FoundFault
twinOf(const ParameterTrack& track, const Family& family, const std::map<std::vector<int64_t>, Line>& lines) {
  FoundFault fault;
  fault.finding.severity = VerifySeverity::kWarning;
  fault.finding.what = VerifyClass::kTwinShards;
  fault.finding.optimizer = track.optimizer;
  fault.finding.evidence = family.evidence;
  fault.parameter = track.name;
  std::vector<int64_t> ranks;
  for (const auto& [others, line] : lines) {
    ranks.insert(ranks.end(), line.ranks.begin(), line.ranks.end());
  }
  std::sort(ranks.begin(), ranks.end());
  fault.parts = {std::move(ranks)};
  return fault;
}

} // namespace

std::vector<FoundFault> shardFaults(const ParameterTracks& tracks, const JobFacts& facts) {
  std::map<Family, Count> counts;
  for (const ParameterTrack& track : tracks.all()) {
    for (const auto& [family, lines] : linesOf(track, facts)) {
      const auto is_comparable = [](const auto& entry) { return entry.second.isComparable(); };
      if (std::all_of(lines.begin(), lines.end(), is_comparable)) {
        Count& count = counts[family];
        ++count.all;
        if (std::all_of(lines.begin(), lines.end(), [](const auto& entry) { return entry.second.bits.size() == 1; })) {
          count.twins.push_back(twinOf(track, family, lines));
        }
      }
    }
  }
  std::vector<FoundFault> faults;
  for (auto& [family, count] : counts) {
    if (2 * count.twins.size() >= count.all) {
      std::move(count.twins.begin(), count.twins.end(), std::back_inserter(faults));
    }
  }
  return faults;
}

namespace {

constexpr size_t kFewest = 3; // a first step may have a learning rate of zero, or a first gradient of zeros

/// The training of a parameter on a rank, as its samples show it.
struct Training {
  int64_t rank = 0;
  size_t samples = 0;
  size_t with_gradient = 0;  ///< that is neither zero nor far below the largest one
  size_t without = 0;        ///< samples without a gradient, or with one of zeros
  size_t without_tensor = 0; ///< samples without a gradient
  bool is_trained = true;    ///< an optimizer has the parameter, and it is not frozen
  bool is_unheld = true;     ///< no optimizer has it on this rank, and it is not frozen
  bool has_changed = false;
};

Training trainingOf(const RankTrack& track, const SampledOptimizer& optimizer) {
  constexpr double kLeast = 1e-5; // of the largest norm: less can be rounding altogether
  Training training;
  training.rank = track.rank;
  const SampleRow* last = nullptr;
  for (size_t step = 0; step < track.rows.size(); ++step) {
    const SampleRow* row = track.rows[step];
    if (row == nullptr) {
      continue;
    }
    ++training.samples;
    const bool is_zero = row->gradient.squares == 0 && !row->gradient.has_non_finite;
    const double largest = optimizer.largest_gradients.at(track.rank)[step];
    training.without += !row->is_gradient_unknown && (!row->has_gradient || is_zero) ? 1 : 0;
    training.without_tensor += row->has_gradient || row->is_gradient_unknown ? 0 : 1;
    training.with_gradient +=
        row->has_gradient && !is_zero && row->gradient.squares >= kLeast * kLeast * largest ? 1 : 0;
    training.is_trained &= track.row_facts[step]->is_in_optimizer && track.row_facts[step]->requires_grad;
    training.is_unheld &= !track.row_facts[step]->is_in_optimizer && track.row_facts[step]->requires_grad;
    training.has_changed |= last != nullptr && last->value.bits != row->value.bits;
    last = row;
  }
  return training;
}

bool hasElements(const RankTrack& track) {
  const std::vector<int64_t>& shape = track.facts->local_shape;
  return std::find(shape.begin(), shape.end(), 0) == shape.end();
}

FoundFault faultOf(const ParameterTrack& track, VerifySeverity severity, VerifyClass what, RankParts parts) {
  FoundFault fault;
  fault.finding.severity = severity;
  fault.finding.what = what;
  fault.finding.optimizer = track.optimizer;
  fault.parameter = track.name;
  fault.parts = std::move(parts);
  return fault;
}

std::vector<int64_t> ranksOf(const std::vector<Training>& all) {
  std::vector<int64_t> ranks;
  for (const Training& training : all) {
    ranks.push_back(training.rank);
  }
  return ranks;
}

/// Judges a parameter that has no gradient on some of its ranks.
void judgeWithout(
    const ParameterTrack& track,
    const JobFacts& facts,
    const std::vector<Training>& without,
    const std::vector<Training>& others,
    std::vector<FoundFault>& faults) {
  const auto has_changed = [](const Training& training) { return training.has_changed; };
  if (others.empty()) {
    // An optimizer that is fused with the backward needs no .grad. With zeros, the weight decay changes the values.
    if (std::any_of(without.begin(), without.end(), [](const Training& training) {
          return training.has_changed && training.without_tensor == training.samples;
        })) {
      return;
    }
    faults.push_back(faultOf(track, VerifySeverity::kNote, VerifyClass::kNoGradient, {ranksOf(without)}));
    return;
  }
  // Zeros are what a shard of an embedding may have, and a rank may update what another has the gradient of.
  const auto has_none = [](const Training& training) {
    return training.without_tensor == training.samples && !training.has_changed;
  };
  const std::vector<int64_t> ranks = ranksOf(without);
  if (std::all_of(without.begin(), without.end(), has_none) && std::any_of(others.begin(), others.end(), has_changed) &&
      facts.expertsAbove(track.name).empty() && !facts.hasMessages(ranks, ranksOf(others))) {
    FoundFault fault = faultOf(track, VerifySeverity::kWarning, VerifyClass::kNoGradient, {ranksOf(others), ranks});
    fault.finding.cause = DifferenceCause::kNoGradient;
    fault.finding.cause_ranks = rangesOf(ranks);
    faults.push_back(std::move(fault));
  }
}

/// The parameters that an optimizer is to train, and those of them that have no gradient and never change.
struct Tally {
  size_t trained = 0;
  size_t idle = 0;
};

void judge(
    const ParameterTrack& track,
    const SampledOptimizer& optimizer,
    const JobFacts& facts,
    std::vector<FoundFault>& faults,
    Tally& tally) {
  std::vector<Training> without;
  std::vector<Training> others;
  bool is_stuck = true;
  for (const RankTrack& rank : track.ranks) {
    if (!hasElements(rank)) {
      continue;
    }
    const Training training = trainingOf(rank, optimizer);
    if (!training.is_trained || training.samples < kFewest) {
      return;
    }
    is_stuck &= !training.has_changed && training.with_gradient >= kFewest;
    (training.without == training.samples ? without : others).push_back(training);
  }
  const auto has_changed = [](const Training& training) { return training.has_changed; };
  ++tally.trained;
  tally.idle += others.empty() && std::none_of(without.begin(), without.end(), has_changed) ? 1 : 0;
  if (!without.empty()) {
    judgeWithout(track, facts, without, others, faults);
  } else if (is_stuck && !others.empty()) {
    faults.push_back(faultOf(track, VerifySeverity::kWarning, VerifyClass::kStuck, {ranksOf(others)}));
  }
}

/// Returns the parameters that have gradients and never change, for no optimizer of any rank has them. Next to others
/// that a rank gets from another one's optimizer they are a fault: these ranks share out the model, and left some out.
/// Numbers of a short type may be stuck while their float32 copies change.
std::vector<FoundFault> unheld(const ParameterTracks& tracks) {
  std::vector<FoundFault> faults;
  bool others_change = false;
  for (const ParameterTrack& track : tracks.all()) {
    size_t stuck = 0;
    RankParts ranks(1);
    for (const RankTrack& rank : track.ranks) {
      if (!hasElements(rank)) {
        continue;
      }
      const Training training = trainingOf(rank, tracks.optimizerOf(track));
      others_change |= training.is_unheld && training.has_changed && training.with_gradient > 0;
      const bool is_stuck = training.is_unheld && !training.has_changed && training.with_gradient >= kFewest &&
                            rank.facts->dtype == "float32";
      stuck += is_stuck ? 1 : 0;
      ranks[0].push_back(rank.rank);
    }
    if (stuck > 0 && stuck == ranks[0].size()) {
      faults.push_back(faultOf(track, VerifySeverity::kNote, VerifyClass::kStuck, std::move(ranks)));
    }
  }
  for (FoundFault& fault : faults) {
    fault.finding.severity = others_change ? VerifySeverity::kWarning : VerifySeverity::kNote;
  }
  return faults;
}

} // namespace

std::vector<FoundFault> trainingFaults(const ParameterTracks& tracks, const JobFacts& facts) {
  std::vector<FoundFault> faults;
  std::map<uint32_t, Tally> tallies;
  for (const ParameterTrack& track : tracks.all()) {
    judge(track, tracks.optimizerOf(track), facts, faults, tallies[track.optimizer]);
  }
  for (FoundFault& fault : faults) {
    const Tally& tally = tallies[fault.finding.optimizer];
    if (tally.idle == tally.trained) { // nothing trains
      fault.finding.severity = VerifySeverity::kWarning;
    }
  }
  std::vector<FoundFault> unheld_faults = unheld(tracks);
  std::move(unheld_faults.begin(), unheld_faults.end(), std::back_inserter(faults));
  return faults;
}

} // namespace commtap
