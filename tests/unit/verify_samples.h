// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/samples/samples.h"
#include "tracker/verify/tensor_place.h"

namespace commtap {

/// Returns numbers between -1 and 1 that depend on the seed.
std::vector<float> noise(uint32_t seed, size_t count = 64);
/// Returns the numbers, each changed by up to so much of itself, as the seed says.
std::vector<float> rounded(const std::vector<float>& numbers, float by, uint32_t seed);

/// A made-up job whose ranks train as a test says: a parameter with a gradient moves by a tenth of it with each step.
class VerifyJob {
 public:
  struct MadeParameter {
    SampledParameter facts;
    std::vector<float> value;
    std::optional<std::vector<float>> gradient = {};
    bool is_partial = false;
    bool has_sums = true;
    std::optional<TensorPlace> place = {}; ///< of a part; `facts` say it too
  };

  explicit VerifyJob(int64_t ranks);

  MadeParameter& add(int64_t rank, const std::string& name, std::vector<float> value);
  /// Adds the parameter to all ranks, with equal values.
  void addOnAll(const std::string& name, const std::vector<float>& value);
  MadeParameter& at(int64_t rank, const std::string& name);
  /// Calls change(parameter, rank) for the parameter on each rank that has it.
  template <typename Change>
  void onAll(const std::string& name, const Change& change) {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (const auto found = ranks_[rank].find(name); found != ranks_[rank].end()) {
        change(found->second, static_cast<int64_t>(rank));
      }
    }
  }
  /// Gives all ranks one gradient for the parameter; that of rank r has the seed `seed` + r * `rank_seed`.
  void gradient(const std::string& name, uint32_t seed, uint32_t rank_seed = 0);

  /// Samples the step on all ranks but those in `skipping`, and moves the parameters.
  void step(uint64_t number, const std::vector<int64_t>& skipping = {});
  /// Samples the step on one rank.
  void sample(int64_t rank, uint64_t number);
  /// Moves the parameters of a rank by their gradients.
  void update(int64_t rank);

  std::vector<ProcessSamples>& processes() {
    return processes_;
  }
  /// Writes the samples of each rank into a folder, as its process does.
  void write(const std::string& folder);

 private:
  std::vector<std::map<std::string, MadeParameter>> ranks_;
  std::vector<ProcessSamples> processes_;
};

} // namespace commtap
