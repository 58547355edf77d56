// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/step_reductions.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace commtap {
namespace {

/// A tensor of a call on all ranks: the members of the group, its name, and the place of the tensor.
using CallKey = std::tuple<const NamedGroup*, std::string, uint64_t, uint32_t>;

/// Returns the one object of a group that all its members' names lead to.
const NamedGroup* groupOf(int64_t rank, const std::string& name, const JobFacts& facts) {
  const auto own = facts.groups.find({rank, name});
  if (own == facts.groups.end() || own->second.ranks.size() < 2) {
    return nullptr;
  }
  const auto first = facts.groups.find({own->second.ranks.front(), name});
  return first != facts.groups.end() && first->second == own->second ? &first->second : nullptr;
}

/// Returns which of the calls that may be of gradients are: neighbours that have as many elements together.
std::vector<bool> bucketsOf(const std::vector<StepReduction>& reductions, uint64_t elements) {
  std::vector<bool> are_buckets(reductions.size());
  size_t first = 0;
  uint64_t sum = 0;
  for (size_t i = 0; elements > 0 && i < reductions.size(); ++i) {
    sum += reductions[i].first().elements;
    while (sum > elements) {
      sum -= reductions[first++].first().elements;
    }
    if (sum == elements) {
      for (sum = 0; first <= i; ++first) {
        are_buckets[first] = true;
      }
    }
  }
  return are_buckets;
}

/// Returns the calls that all ranks of a group have sampled, of gradients or perhaps so, in the order of the first rank
/// that has them.
std::vector<StepReduction> commonReductions(const StepSamples& step, const JobFacts& facts) {
  std::map<CallKey, StepReduction> by_key;
  std::vector<CallKey> order;
  for (const auto& [rank, sample] : step.samples) {
    for (const SampledReduction& reduction : sample->reductions) {
      const NamedGroup* group = groupOf(rank, reduction.group, facts);
      if (group == nullptr) {
        continue;
      }
      const CallKey key(group, reduction.group, reduction.sequence, reduction.part);
      const auto [entry, is_new] = by_key.try_emplace(key, StepReduction{group, {}});
      if (is_new) {
        order.push_back(key);
      }
      entry->second.inputs.push_back(&reduction);
    }
  }
  std::vector<StepReduction> common;
  for (const CallKey& key : order) {
    StepReduction& reduction = by_key.at(key);
    const auto has_same_size = [&](const SampledReduction* input) {
      return input->elements == reduction.first().elements;
    };
    if (reduction.inputs.size() == reduction.group->ranks.size() &&
        std::all_of(reduction.inputs.begin(), reduction.inputs.end(), has_same_size)) {
      common.push_back(std::move(reduction));
    }
  }
  return common;
}

void addReductions(StepSamples& step, const JobFacts& facts) {
  std::vector<StepReduction> all = commonReductions(step, facts);
  const auto is_known = [](const StepReduction& reduction) {
    return std::any_of(reduction.inputs.begin(), reduction.inputs.end(), [](const SampledReduction* input) {
      return input->is_gradient;
    });
  };
  std::vector<StepReduction> perhaps;
  std::copy_if(all.begin(), all.end(), std::back_inserter(perhaps), std::not_fn(is_known));
  const std::vector<bool> are_buckets = bucketsOf(perhaps, step.samples.begin()->second->gradient_elements);
  size_t place = 0;
  for (StepReduction& reduction : all) {
    if (is_known(reduction) || are_buckets[place++]) {
      step.reductions.push_back(std::move(reduction));
    }
  }
}

} // namespace

bool isZero(const Digest& digest) {
  return digest.squares == 0 && !digest.has_non_finite;
}

bool StepReduction::isEqual() const {
  return std::all_of(inputs.begin(), inputs.end(), [this](const SampledReduction* input) {
    const Digest& digest = input->input;
    return digest.bits == first().input.bits && !digest.is_constant && !digest.has_non_finite;
  });
}

std::vector<StepSamples> stepSamples(const ParameterTracks& tracks, const JobFacts& facts) {
  std::vector<StepSamples> steps;
  for (const auto& [number, optimizer] : tracks.optimizers()) {
    std::optional<uint64_t> before;
    for (size_t i = 0; i < optimizer.steps.size(); ++i) {
      StepSamples step{number, optimizer.steps[i], before, {}, {}};
      for (const auto& [rank, samples] : optimizer.samples) {
        if (samples[i] != nullptr) {
          step.samples.emplace(rank, samples[i]);
        }
      }
      addReductions(step, facts);
      before = step.step;
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

ComparedInputs comparedInputs(std::span<const StepSamples> steps) {
  ComparedInputs compared;
  std::set<uint32_t> reducing;
  for (const StepSamples& step : steps) {
    compared.reductions += step.reductions.size();
    for (const StepReduction& reduction : step.reductions) {
      reducing.insert(reduction.group->ranks.begin(), reduction.group->ranks.end());
    }
  }
  for (const StepSamples& step : steps) {
    for (const auto& [rank, sample] : step.samples) {
      compared.rows += reducing.contains(static_cast<uint32_t>(rank)) ? sample->batch.rows : 0;
    }
  }
  return compared;
}

} // namespace commtap
