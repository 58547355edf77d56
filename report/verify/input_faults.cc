// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/replicas/row_rules.h"

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

/// The gradients, values and inputs of a step that are not finite.
struct NonFinite {
  std::string gradient; ///< the first parameter in backward order whose gradient is not
  bool is_of_values = false;
  std::vector<int64_t> finite;  ///< ranks whose input of the first reduction that has others is finite
  std::vector<int64_t> sources; ///< the others
};

NonFinite nonFiniteIn(
    const StepSamples& step,
    const std::map<std::pair<int64_t, const SampleRow*>, std::string>& names) {
  NonFinite found;
  for (const auto& [rank, sample] : step.samples) {
    for (const SampleRow& row : sample->rows) {
      found.is_of_values |= row.value.has_non_finite;
      const auto name = names.find({rank, &row});
      if (row.has_gradient && row.gradient.has_non_finite && name != names.end()) {
        found.gradient = name->second;
      }
    }
  }
  for (const StepReduction& reduction : step.reductions) {
    for (size_t place = 0; place < reduction.inputs.size(); ++place) {
      (reduction.inputs[place]->input.has_non_finite ? found.sources : found.finite)
          .push_back(reduction.group->ranks[place]);
    }
    if (!found.sources.empty()) {
      return found;
    }
    found.finite.clear();
  }
  return found;
}

/// Returns the names of parameters by the rows of their samples, in backward order of a rank: the last one is first.
std::map<std::pair<int64_t, const SampleRow*>, std::string> rowNames(const ParameterTracks& tracks) {
  std::map<std::pair<int64_t, const SampleRow*>, std::string> names;
  for (const ParameterTrack& track : tracks.all()) {
    for (const RankTrack& rank : track.ranks) {
      for (const SampleRow* row : rank.rows) {
        names[{rank.rank, row}] = track.name;
      }
    }
  }
  return names;
}

/// Adds the first step of an optimizer in which something is not finite, with the ranks that had it before a reduction
/// gave it to all. Ranks that differ in values or reduced gradients are faults of replicas.
void addSourceOfNan(Steps steps, const ParameterTracks& tracks, std::vector<FoundFault>& faults) {
  const auto names = rowNames(tracks);
  std::map<uint32_t, FoundFault> first;
  std::set<uint32_t> with_values;
  for (const StepSamples& step : steps) {
    const NonFinite found = nonFiniteIn(step, names);
    if (found.is_of_values) {
      with_values.insert(step.optimizer);
    }
    if (first.contains(step.optimizer) || (!found.is_of_values && found.gradient.empty() && found.sources.empty())) {
      continue;
    }
    FoundFault fault = faultOf(VerifySeverity::kNote, VerifyClass::kSourceOfNan, step);
    fault.parameter = found.gradient;
    std::vector<int64_t> ranks;
    for (const auto& [rank, sample] : step.samples) {
      ranks.push_back(rank);
    }
    const bool has_source = !found.is_of_values && !found.sources.empty() && !found.finite.empty();
    fault.parts = has_source ? partsOf(found.finite, found.sources) : RankParts{std::move(ranks)};
    fault.finding.cause_ranks = has_source ? rangesOf(found.sources) : RankRanges();
    first.emplace(step.optimizer, std::move(fault));
  }
  for (auto& [optimizer, fault] : first) {
    const bool is_of_values = with_values.contains(optimizer);
    if (is_of_values || !fault.finding.cause_ranks.empty()) { // else a step that a loss scaler leaves out
      fault.finding.severity = is_of_values ? VerifySeverity::kError : VerifySeverity::kNote;
      faults.push_back(std::move(fault));
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
    if (!idle.empty() && !others.empty()) {
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
  constexpr double kFactor = 30; // right jobs of tests/jobs: up to 8
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

} // namespace

std::vector<FoundFault> inputFaults(Steps steps, const ParameterTracks& tracks) {
  std::vector<FoundFault> faults;
  addReducedTwice(steps, faults);
  addSourceOfNan(steps, tracks, faults);
  for (const auto& [key, ranks] : contributionsOf(steps)) {
    addNoContribution(key.second, ranks, faults);
    addOtherSize(key.second, ranks, faults);
  }
  return faults;
}

} // namespace commtap
