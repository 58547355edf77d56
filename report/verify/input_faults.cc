// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/replicas/job_facts.h"
#include "report/replicas/replica_sets.h"

namespace commtap {
namespace {

using Steps = std::span<const StepSamples>;

constexpr size_t kFewestSampled = 2; ///< that show a fault which a single step may have by chance

FoundFault faultOf(VerifySeverity severity, VerifyClass what, const StepSamples& step) {
  FoundFault fault;
  fault.finding.severity = severity;
  fault.finding.what = what;
  fault.finding.optimizer = step.optimizer;
  fault.finding.step = step.step;
  fault.finding.before = step.before;
  return fault;
}

std::vector<int64_t> membersOf(const NamedGroup& group) {
  return {group.ranks.begin(), group.ranks.end()};
}

/// Returns the ranks of two parts, the one with more ranks first. Neither is empty.
RankParts partsOf(std::vector<int64_t> one, std::vector<int64_t> other) {
  return one.size() < other.size() ? RankParts{std::move(other), std::move(one)}
                                   : RankParts{std::move(one), std::move(other)};
}

/// Returns whether the second reduction's input is the sum of the first one's inputs, or a part of that. Sums of
/// digests add up as the values do, so one tensor's are those of the sum times a factor.
bool isSumOf(const StepReduction& second, const StepReduction& first) {
  const SampledReduction& input = second.first();
  if (input.elements != first.first().elements) {
    return input.elements < first.first().elements && isBelow(input.module, first.first().module);
  }
  constexpr double kAlike = 0.999; // cosine of eight sums
  double product = 0;
  double norms[2] = {0, 0};
  for (int j = 0; j < kDigestSums; ++j) {
    double sum = 0;
    for (const SampledReduction* each : first.inputs) {
      sum += each->input.sums[j];
    }
    product += sum * input.input.sums[j];
    norms[0] += sum * sum;
    norms[1] += input.input.sums[j] * input.input.sums[j];
  }
  return product > kAlike * std::sqrt(norms[0] * norms[1]);
}

/// Returns the reduction of the step that made the inputs of this one equal; nullptr if there is none.
const StepReduction* madeEqualBy(const StepSamples& step, const StepReduction& second) {
  const auto end = step.reductions.begin() + (&second - step.reductions.data());
  const auto first = std::find_if(step.reductions.begin(), end, [&second](const StepReduction& earlier) {
    return earlier.group->ranks == second.group->ranks && !earlier.isEqual() && isSumOf(second, earlier);
  });
  return first == end ? nullptr : &*first;
}

void addReducedTwice(Steps steps, std::vector<FoundFault>& faults) {
  std::set<std::pair<uint32_t, std::string>> found; // optimizers and modules
  for (const StepSamples& step : steps) {
    for (const StepReduction& second : step.reductions) {
      const StepReduction* first = second.isEqual() ? madeEqualBy(step, second) : nullptr;
      if (first == nullptr || !found.emplace(step.optimizer, second.first().module).second) {
        continue;
      }
      FoundFault fault = faultOf(VerifySeverity::kWarning, VerifyClass::kReducedTwice, step);
      fault.finding.group = second.group->title;
      fault.finding.modules = {first->first().module};
      fault.parameter = second.first().module;
      fault.parts = {membersOf(*second.group)};
      faults.push_back(std::move(fault));
    }
  }
}

/// A parameter on a rank, by the row of a sample.
using RowTracks = std::map<std::pair<int64_t, const SampleRow*>, std::pair<const ParameterTrack*, const RankTrack*>>;

RowTracks rowTracks(const ParameterTracks& tracks) {
  RowTracks rows;
  for (const ParameterTrack& track : tracks.all()) {
    for (const RankTrack& rank : track.ranks) {
      for (const SampleRow* row : rank.rows) {
        rows[{rank.rank, row}] = {&track, &rank};
      }
    }
  }
  return rows;
}

/// The values, gradients and inputs of a step that are not finite.
struct NonFinite {
  std::set<int64_t> with_values;
  std::set<int64_t> with_gradients;
  bool is_of_shards = false;    ///< of which a rank may have some alone
  std::string gradient;         ///< the first parameter in backward order whose gradient is not finite
  std::vector<int64_t> finite;  ///< ranks whose input of the first reduction with others is finite
  std::vector<int64_t> sources; ///< the others

  bool isAny() const {
    return !with_values.empty() || !with_gradients.empty() || !sources.empty();
  }
  /// Returns whether ranks had them before the reduction that gave them to all.
  bool hasSource() const {
    return with_values.empty() && !sources.empty();
  }
  /// Returns whether they are on all ranks. Else they are a fault of replicas.
  bool isOfAll(size_t ranks) const {
    return is_of_shards || (with_values.empty() ? with_gradients : with_values).size() == ranks;
  }
};

NonFinite nonFiniteIn(const StepSamples& step, const RowTracks& tracks) {
  NonFinite found;
  for (const auto& [rank, sample] : step.samples) {
    for (const SampleRow& row : sample->rows) {
      const bool is_gradient = row.has_gradient && row.gradient.has_non_finite;
      const auto track = tracks.find({rank, &row});
      if ((!row.value.has_non_finite && !is_gradient) || track == tracks.end()) {
        continue;
      }
      (row.value.has_non_finite ? found.with_values : found.with_gradients).insert(rank);
      found.is_of_shards |= isDeclaredShard(*track->second.second->facts);
      found.gradient = is_gradient ? track->second.first->name : found.gradient;
    }
  }
  for (const StepReduction& reduction : step.reductions) {
    for (size_t place = 0; found.sources.empty() && place < reduction.inputs.size(); ++place) {
      found.finite.clear();
      for (size_t i = 0; reduction.inputs[place]->input.has_non_finite && i < reduction.inputs.size(); ++i) {
        (reduction.inputs[i]->input.has_non_finite ? found.sources : found.finite).push_back(reduction.group->ranks[i]);
      }
    }
  }
  return found;
}

/// Returns the finding on a step in which something is not finite, with the ranks that had it before a reduction gave
/// it to all.
FoundFault sourceOfNan(const StepSamples& step, const NonFinite& found) {
  FoundFault fault = faultOf(VerifySeverity::kNote, VerifyClass::kSourceOfNan, step);
  fault.parameter = found.gradient;
  if (found.hasSource()) {
    fault.finding.cause_ranks = rangesOf(found.sources);
    fault.parts = found.finite.empty() ? RankParts{found.sources} : partsOf(found.finite, found.sources);
    return fault;
  }
  fault.parts.resize(1);
  for (const auto& [rank, sample] : step.samples) {
    fault.parts[0].push_back(rank);
  }
  return fault;
}

/// Adds the first step of an optimizer in which something is not finite: an error if values are so in it or a later
/// sample, a warning if the step begins with such gradients and is the last one that is sampled. A loss scaler leaves
/// out other steps in which each rank has it.
void addSourceOfNan(Steps steps, const ParameterTracks& tracks, std::vector<FoundFault>& faults) {
  const RowTracks rows = rowTracks(tracks);
  struct Found {
    std::optional<FoundFault> first;
    bool is_seen = false;
    bool has_values = false;
    bool is_last = false; ///< and begins with gradients that are not finite
    bool is_of_some = false;
  };
  std::map<uint32_t, Found> by_optimizer;
  for (const StepSamples& step : steps) {
    const NonFinite found = nonFiniteIn(step, rows);
    Found& of = by_optimizer[step.optimizer];
    of.has_values |= !found.with_values.empty();
    of.is_last = false;
    if (!found.isAny() || of.is_seen) {
      continue;
    }
    of.is_seen = true;
    of.is_last = !found.with_gradients.empty();
    of.is_of_some = found.hasSource() && !found.finite.empty();
    if (found.hasSource() || found.isOfAll(step.samples.size())) {
      of.first = sourceOfNan(step, found);
    }
  }
  for (auto& [optimizer, of] : by_optimizer) {
    if (of.first && (of.has_values || of.is_last || of.is_of_some)) {
      of.first->finding.severity = of.has_values ? VerifySeverity::kError
                                   : of.is_last  ? VerifySeverity::kWarning
                                                 : VerifySeverity::kNote;
      faults.push_back(std::move(*of.first));
    }
  }
}

/// The norms that a rank puts into the reductions of a group, squared, by step.
struct Contribution {
  std::vector<double> squares;
  std::vector<const StepSamples*> steps;

  size_t zeros() const {
    return static_cast<size_t>(std::count(squares.begin(), squares.end(), 0.0));
  }
};
using Contributions = std::map<int64_t, Contribution>;                               ///< by rank
using GroupContributions = std::map<std::pair<uint32_t, NamedGroup>, Contributions>; ///< by optimizer and group

/// Leaves out the steps of a group in which an input is not finite, or all are zeros.
GroupContributions contributionsOf(Steps steps) {
  GroupContributions all;
  for (const StepSamples& step : steps) {
    std::map<NamedGroup, std::map<int64_t, double>> sums;
    for (const StepReduction& reduction : step.reductions) {
      for (size_t place = 0; place < reduction.inputs.size(); ++place) {
        const Digest& input = reduction.inputs[place]->input;
        sums[*reduction.group][reduction.group->ranks[place]] += input.has_non_finite ? INFINITY : input.squares;
      }
    }
    for (const auto& [group, by_rank] : sums) {
      const auto is_usable = [](const auto& entry) { return std::isfinite(entry.second); };
      const auto is_any = [](const auto& entry) { return entry.second > 0; };
      if (std::all_of(by_rank.begin(), by_rank.end(), is_usable) &&
          std::any_of(by_rank.begin(), by_rank.end(), is_any)) {
        for (const auto& [rank, squares] : by_rank) {
          Contribution& contribution = all[{step.optimizer, group}][rank];
          contribution.squares.push_back(squares);
          contribution.steps.push_back(&step);
        }
      }
    }
  }
  return all;
}

/// Adds the ranks that put zeros into each reduction of a step of their group, while others have values.
void addNoContribution(const NamedGroup& group, const Contributions& ranks, std::vector<FoundFault>& faults) {
  for (const bool is_always : {true, false}) {
    std::vector<int64_t> idle;
    std::vector<int64_t> others;
    const StepSamples* first = nullptr;
    for (const auto& [rank, contribution] : ranks) {
      const size_t zeros = contribution.zeros();
      const bool is_one = is_always ? zeros == contribution.squares.size() && zeros >= kFewestSampled
                                    : zeros > 0 && (zeros < contribution.squares.size() || zeros < kFewestSampled);
      (is_one ? idle : others).push_back(rank);
      if (is_one) {
        const auto zero = std::find(contribution.squares.begin(), contribution.squares.end(), 0.0);
        const StepSamples* step = contribution.steps[static_cast<size_t>(zero - contribution.squares.begin())];
        first = first == nullptr || step->step < first->step ? step : first;
      }
    }
    if (first != nullptr && !others.empty()) {
      FoundFault fault =
          faultOf(is_always ? VerifySeverity::kWarning : VerifySeverity::kNote, VerifyClass::kNoContribution, *first);
      fault.finding.group = group.title;
      fault.finding.cause_ranks = rangesOf(idle);
      fault.parts = partsOf(others, idle);
      faults.push_back(std::move(fault));
    }
  }
}

/// Adds the ranks whose norm is far above the smallest one in each sampled step.
void addOtherSize(const NamedGroup& group, const Contributions& ranks, std::vector<FoundFault>& faults) {
  constexpr double kFactor = 30; // right jobs of tests/jobs: up to 9 in one step, 2 in all
  const std::vector<const StepSamples*>& steps = ranks.begin()->second.steps;
  double ratio = INFINITY;
  std::vector<int64_t> loud;
  std::vector<int64_t> others;
  for (const auto& [rank, contribution] : ranks) {
    double least = INFINITY; // factor of a step
    for (size_t i = 0; i < steps.size(); ++i) {
      double smallest = INFINITY;
      for (const auto& [other, with] : ranks) {
        smallest = with.squares[i] > 0 ? std::min(smallest, with.squares[i]) : smallest;
      }
      least = std::min(least, std::sqrt(contribution.squares[i] / smallest));
    }
    (least >= kFactor ? loud : others).push_back(rank);
    ratio = least >= kFactor ? std::min(ratio, least) : ratio;
  }
  if (steps.size() < kFewestSampled || loud.empty()) {
    return;
  }
  FoundFault fault = faultOf(VerifySeverity::kNote, VerifyClass::kOtherSize, *steps.front());
  fault.finding.group = group.title;
  fault.finding.cause_ranks = rangesOf(loud);
  fault.finding.ratio = ratio;
  fault.parts = partsOf(others, loud);
  faults.push_back(std::move(fault));
}

/// The inputs of the first two ranks of a group to its reductions of a step, all together.
struct StepSize {
  double squares = 0;  ///< of the first rank's inputs
  double distance = 0; ///< of the two ranks' inputs, squared: an estimate
};

/// Adds the groups whose inputs grow in each step from the first sampled one on, and become more alike: each is the sum
/// of all before, which ranks share, and one step's gradient.
void addGrowingGradient(Steps steps, std::vector<FoundFault>& faults) {
  constexpr size_t kFewestGrowing = 4;
  constexpr double kLessApart = 0.25; // at the last one, squared
  std::map<std::pair<uint32_t, NamedGroup>, std::vector<std::pair<const StepSamples*, StepSize>>> sizes;
  for (const StepSamples& step : steps) {
    for (const StepReduction& reduction : step.reductions) {
      auto& of_group = sizes[{step.optimizer, *reduction.group}];
      if (of_group.empty() || of_group.back().first != &step) {
        of_group.emplace_back(&step, StepSize());
      }
      const Digest& one = reduction.inputs[0]->input;
      const Digest& other = reduction.inputs[1]->input;
      of_group.back().second.squares += one.has_non_finite ? NAN : one.squares;
      for (int j = 0; j < kDigestSums; ++j) {
        of_group.back().second.distance += std::pow(one.sums[j] - other.sums[j], 2) / kDigestSums;
      }
    }
  }
  for (const auto& [key, of_group] : sizes) {
    size_t last = 1; // the samples before it grow from step to step
    while (last < of_group.size() && of_group[last].first->step == of_group[last - 1].first->step + 1 &&
           of_group[last].second.squares > of_group[last - 1].second.squares) {
      ++last;
    }
    const auto& [first_step, first] = of_group.front();
    const auto& [last_step, grown] = of_group[last - 1];
    const bool goes_on = last == of_group.size() || of_group[last].first->step != last_step->step + 1;
    if (last >= kFewestGrowing && goes_on &&
        grown.distance * first.squares < kLessApart * first.distance * grown.squares) {
      FoundFault fault = faultOf(VerifySeverity::kNote, VerifyClass::kGrowingGradient, *first_step);
      fault.finding.last_step = last_step->step;
      fault.finding.group = key.second.title;
      fault.finding.ratio = std::sqrt(grown.squares / first.squares);
      fault.parts = {membersOf(key.second)};
      faults.push_back(std::move(fault));
    }
  }
}

} // namespace

std::vector<FoundFault> inputFaults(Steps steps, const ParameterTracks& tracks) {
  std::vector<FoundFault> faults;
  addReducedTwice(steps, faults);
  addSourceOfNan(steps, tracks, faults);
  addGrowingGradient(steps, faults);
  for (const auto& [key, ranks] : contributionsOf(steps)) {
    addNoContribution(key.second, ranks, faults);
    addOtherSize(key.second, ranks, faults);
  }
  return faults;
}

} // namespace commtap
