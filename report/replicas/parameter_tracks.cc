// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/parameter_tracks.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/replicas/job_facts.h"

namespace commtap {
namespace {

/// A row that an optimizer has, with its parameter.
struct Entry {
  const SampleRow* row = nullptr;
  const SampledParameter* facts = nullptr;
};

std::vector<Entry> entriesOf(const ProcessSamples& process, const Sample& sample) {
  std::vector<Entry> entries;
  for (const SampleRow& row : sample.rows) {
    if (row.parameter < process.parameters.size() && process.parameters[row.parameter].is_in_optimizer) {
      entries.push_back({&row, &process.parameters[row.parameter]});
    }
  }
  return entries;
}

bool haveNames(const std::vector<Entry>& entries) {
  return !entries.empty() &&
         std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.facts->has_model_name; });
}

bool areAlike(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry& one, const Entry& other) {
    return one.facts->local_shape == other.facts->local_shape && one.facts->dtype == other.facts->dtype;
  });
}

} // namespace

std::map<const SampleRow*, const SampledParameter*> laterNames(const ProcessSamples& process) {
  std::map<const SampleRow*, const SampledParameter*> names;
  std::map<uint32_t, std::vector<Entry>> named; // the next sample of each optimizer, from the last one on
  for (auto sample = process.samples.rbegin(); sample != process.samples.rend(); ++sample) {
    std::vector<Entry> entries = entriesOf(process, *sample);
    if (haveNames(entries)) {
      named[sample->optimizer] = std::move(entries);
      continue;
    }
    const std::vector<Entry>& later = named[sample->optimizer];
    for (size_t i = 0; areAlike(entries, later) && i < entries.size(); ++i) {
      if (!entries[i].facts->has_model_name) {
        names[entries[i].row] = later[i].facts;
      }
    }
  }
  return names;
}

namespace {

using Names = std::set<std::string>;

std::map<uint32_t, Names> namesOf(const ProcessSamples& process) {
  std::map<uint32_t, Names> names;
  for (const Sample& sample : process.samples) {
    Names& of_optimizer = names[sample.optimizer];
    for (const SampleRow& row : sample.rows) {
      if (row.parameter < process.parameters.size()) {
        of_optimizer.insert(process.parameters[row.parameter].name);
      }
    }
  }
  return names;
}

int64_t sharedOf(const Names& one, const Names& other) {
  return std::count_if(one.begin(), one.end(), [&other](const std::string& name) { return other.contains(name); });
}

/// Numbers the optimizers of one rank after the other.
class Matcher {
 public:
  /// Returns the numbers by those on the rank.
  std::map<uint32_t, uint32_t> numbersFor(const std::map<uint32_t, Names>& optimizers) {
    std::map<uint32_t, uint32_t> numbers;
    std::set<uint32_t> taken;
    for (const Pair& pair : pairsOf(optimizers)) {
      if (!numbers.contains(pair.own) && !taken.contains(pair.number)) {
        numbers[pair.own] = pair.number;
        taken.insert(pair.number);
      }
    }
    for (const auto& [own, names] : optimizers) {
      if (!numbers.contains(own)) {
        numbers[own] = firstFree(own, taken);
        taken.insert(numbers[own]);
      }
      known_[numbers[own]].insert(names.begin(), names.end());
    }
    return numbers;
  }

 private:
  struct Pair {
    int64_t shared; ///< parameters
    uint32_t own;
    uint32_t number;
  };

  /// Returns the pairs that share parameters, most first; of equal ones, those with one number.
  std::vector<Pair> pairsOf(const std::map<uint32_t, Names>& optimizers) const {
    std::vector<Pair> pairs;
    for (const auto& [own, names] : optimizers) {
      for (const auto& [number, others] : known_) {
        if (const int64_t shared = sharedOf(names, others); shared > 0) {
          pairs.push_back({shared, own, number});
        }
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return std::make_tuple(-a.shared, a.own != a.number) < std::make_tuple(-b.shared, b.own != b.number);
    });
    return pairs;
  }

  static uint32_t firstFree(uint32_t number, const std::set<uint32_t>& taken) {
    while (taken.contains(number)) {
      ++number;
    }
    return number;
  }

  std::map<uint32_t, Names> known_; ///< the parameters by number
};

} // namespace

std::map<std::pair<int64_t, uint32_t>, uint32_t> optimizerMatches(const std::vector<const ProcessSamples*>& processes) {
  std::map<std::pair<int64_t, uint32_t>, uint32_t> matches;
  Matcher matcher;
  for (const ProcessSamples* process : processes) {
    for (const auto& [own, number] : matcher.numbersFor(namesOf(*process))) {
      matches[{*process->job.rank, own}] = number;
    }
  }
  return matches;
}

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

/// Returns the parameters that an optimizer has, with its number.
std::map<std::string_view, uint32_t> heldParameters(const ProcessSamples& process) {
  std::map<std::string_view, uint32_t> held;
  for (const SampledParameter& parameter : process.parameters) {
    if (parameter.is_in_optimizer) {
      held.emplace(parameter.name, parameter.optimizer);
    }
  }
  return held;
}

/// Returns whether the parameter is in a sample as one that no optimizer has, and an optimizer which had not stepped
/// yet has it.
bool isOfAnother(const SampledParameter& parameter, const std::map<std::string_view, uint32_t>& held) {
  const auto holder = parameter.is_in_optimizer ? held.end() : held.find(parameter.name);
  return holder != held.end() && holder->second != parameter.optimizer;
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
  std::map<Key, size_t> buffer_places;
  for (const auto& [rank, process] : of_ranks) {
    addRows(*process, matches, apart, places, buffer_places);
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
    std::map<Key, size_t>& places,
    std::map<Key, size_t>& buffer_places) {
  const int64_t rank = *process.job.rank;
  const std::map<std::string_view, uint32_t> held = heldParameters(process);
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
      if (row.parameter >= process.parameters.size() || isOfAnother(process.parameters[row.parameter], held)) {
        continue;
      }
      const auto later = later_names.find(&row);
      const SampledParameter& facts = later == later_names.end() ? process.parameters[row.parameter] : *later->second;
      const Key key(number, nameIn(names, facts.name));
      RankTrack& track =
          facts.is_buffer ? trackOf(key, rank, buffer_places, buffers_) : trackOf(key, rank, places, tracks_);
      track.facts = &facts;
      track.rows.resize(count);
      track.rows[place] = &row;
      track.row_facts.resize(count);
      track.row_facts[place] = &facts;
    }
  }
}

RankTrack& ParameterTracks::trackOf(
    const Key& key,
    int64_t rank,
    std::map<Key, size_t>& places,
    std::vector<ParameterTrack>& tracks) {
  const auto [place, is_new] = places.emplace(key, tracks.size());
  if (is_new) {
    ParameterTrack& track = tracks.emplace_back();
    track.name = key.second;
    track.optimizer = key.first;
  }
  std::vector<RankTrack>& ranks = tracks[place->second].ranks;
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
