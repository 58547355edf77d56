// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/optimizer_match.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

namespace commtap {
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

} // namespace commtap
