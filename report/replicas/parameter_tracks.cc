// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

#include <algorithm>

#include "report/replicas/later_names.h"
#include "report/replicas/optimizer_match.h"
#include "report/replicas/row_facts.h"

namespace commtap {
namespace {

/// Returns the process of each rank.
std::map<int64_t, const ProcessSamples*> byRank(std::span<const ProcessSamples> processes) {
  std::map<int64_t, const ProcessSamples*> ranks;
  for (const ProcessSamples& process : processes) {
    if (process.job.rank && !process.samples.empty()) {
      const ProcessSamples*& of_rank = ranks[*process.job.rank];
      if (of_rank == nullptr || of_rank->samples.size() < process.samples.size()) {
        of_rank = &process;
      }
    }
  }
  return ranks;
}

/// Returns the name, with a number if a parameter before it in the sample has the same one.
std::string nameIn(std::map<std::string, int>& names, const std::string& name) {
  const int number = ++names[name];
  return number == 1 ? name : name + "#" + std::to_string(number);
}

double largestGradientOf(const Sample& sample) {
  double largest = 0;
  for (const SampleRow& row : sample.rows) {
    if (row.has_gradient && !row.gradient.has_non_finite) {
      largest = std::max(largest, row.gradient.squares);
    }
  }
  return largest;
}

} // namespace

const RankTrack* ParameterTrack::of(int64_t rank) const {
  const auto found = std::lower_bound(
      ranks.begin(), ranks.end(), rank, [](const RankTrack& track, int64_t number) { return track.rank < number; });
  return found != ranks.end() && found->rank == rank ? &*found : nullptr;
}

ParameterTracks::ParameterTracks(std::span<const ProcessSamples> processes, const std::set<const Sample*>& apart) {
  const std::map<int64_t, const ProcessSamples*> of_ranks = byRank(processes);
  std::vector<const ProcessSamples*> in_order;
  for (const auto& [rank, process] : of_ranks) {
    in_order.push_back(process);
  }
  const Matches matches = optimizerMatches(in_order);
  for (const auto& [rank, process] : of_ranks) {
    ranks_.push_back(rank);
    addSteps(*process, matches);
  }
  for (auto& [number, optimizer] : optimizers_) {
    std::sort(optimizer.steps.begin(), optimizer.steps.end());
    optimizer.steps.erase(std::unique(optimizer.steps.begin(), optimizer.steps.end()), optimizer.steps.end());
  }
  std::map<Key, size_t> places;
  for (const auto& [rank, process] : of_ranks) {
    addRows(*process, matches, apart, places);
  }
}

void ParameterTracks::addSteps(const ProcessSamples& process, const Matches& matches) {
  for (const Sample& sample : process.samples) {
    optimizers_[matches.at({*process.job.rank, sample.optimizer})].steps.push_back(sample.step);
  }
}

void ParameterTracks::addRows(
    const ProcessSamples& process,
    const Matches& matches,
    const std::set<const Sample*>& apart,
    std::map<Key, size_t>& places) {
  const int64_t rank = *process.job.rank;
  const std::map<const SampleRow*, const SampledParameter*> later_names = laterNames(process);
  for (const Sample& sample : process.samples) {
    const uint32_t number = matches.at({rank, sample.optimizer});
    SampledOptimizer& optimizer = optimizers_[number];
    const size_t count = optimizer.steps.size();
    const auto step = std::lower_bound(optimizer.steps.begin(), optimizer.steps.end(), sample.step);
    const auto place = static_cast<size_t>(step - optimizer.steps.begin());
    std::vector<double>& largest = optimizer.largest_gradients[rank];
    std::vector<const Sample*>& samples = optimizer.samples[rank];
    largest.resize(count);
    samples.resize(count);
    largest[place] = largestGradientOf(sample);
    samples[place] = &sample;
    if (apart.contains(&sample)) {
      continue;
    }
    std::map<std::string, int> names;
    for (const SampleRow& row : sample.rows) {
      if (row.parameter >= process.parameters.size()) {
        continue;
      }
      const auto later = later_names.find(&row);
      const SampledParameter& facts = later == later_names.end() ? process.parameters[row.parameter] : *later->second;
      RankTrack& track = trackOf({number, nameIn(names, facts.name)}, rank, places);
      track.facts = &facts;
      track.rows.resize(count);
      track.rows[place] = &row;
      track.row_facts.resize(count);
      track.row_facts[place] = &facts;
    }
  }
}

RankTrack& ParameterTracks::trackOf(const Key& key, int64_t rank, std::map<Key, size_t>& places) {
  const auto [place, is_new] = places.emplace(key, tracks_.size());
  if (is_new) {
    ParameterTrack& track = tracks_.emplace_back();
    track.name = key.second;
    track.optimizer = key.first;
  }
  std::vector<RankTrack>& ranks = tracks_[place->second].ranks;
  if (ranks.empty() || ranks.back().rank != rank) {
    ranks.emplace_back().rank = rank;
  }
  return ranks.back();
}

bool hasWholeGradient(const RankTrack& track, size_t step) {
  const SampleRow* row = track.row(step);
  return row != nullptr && row->has_gradient && !row->is_gradient_partial;
}

bool hasUsedGradient(const RankTrack& track, size_t step) {
  // The gradient of a parameter that no optimizer has may be only partly reduced: Megatron's distributed optimizer
  // reduces the part of main_grad that its rank updates.
  return hasWholeGradient(track, step) && track.row_facts[step]->is_in_optimizer;
}

size_t firstStepOf(const RankTrack& track) {
  const auto found = std::find_if(track.rows.begin(), track.rows.end(), [](const SampleRow* row) { return row; });
  return static_cast<size_t>(found - track.rows.begin());
}

const SampleRow& firstRowOf(const RankTrack& track) {
  return *track.rows[firstStepOf(track)];
}

size_t commonStepOf(const RankTracks& ranks) {
  std::map<size_t, size_t> samples; // by step
  for (const RankTrack* rank : ranks) {
    for (size_t step = 0; step < rank->rows.size(); ++step) {
      samples[step] += rank->rows[step] != nullptr ? 1 : 0;
    }
  }
  const auto most = std::max_element(
      samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

std::string withParameters(std::string module, const ParameterTracks& tracks) {
  const auto has_parameters = [&module](const ParameterTrack& track) { return isBelow(track.name, module); };
  while (!module.empty() && std::none_of(tracks.all().begin(), tracks.all().end(), has_parameters)) {
    const size_t end = module.rfind('.');
    module.resize(end == std::string::npos ? 0 : end);
  }
  return module;
}

} // namespace commtap
