// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/verify/step_reductions.h"
#include "tests/unit/verify_samples.h"
#include "tracker/verify/digest.h"

namespace commtap {

/// A made-up job whose ranks have one parameter of 64 elements, one group, and inputs of reductions and forwards that a
/// test says. Inputs go with the next step.
class InputsJob {
 public:
  explicit InputsJob(int64_t ranks) : job_(ranks), pending_(static_cast<size_t>(ranks)), batches_(pending_.size()) {
    job_.addOnAll("Net.w", noise(1));
    job_.gradient("Net.w", 7);
    std::vector<uint32_t> all(pending_.size());
    std::iota(all.begin(), all.end(), 0U);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      facts_.groups[{rank, "0"}] = {all, "default_pg"};
    }
  }
  /// Reduces a tensor of each rank.
  void reduce(const std::string& module, const std::vector<std::vector<float>>& inputs) {
    ++sequence_;
    for (size_t rank = 0; rank < inputs.size(); ++rank) {
      const std::vector<float>& input = inputs[rank];
      pending_[rank].push_back(
          {"0", sequence_, 0, module, input.size(), true, digestOf(input.data(), input.size(), DigestType::kFloat32)});
    }
  }
  /// Has each rank read rows of these hashes.
  void read(const std::vector<std::vector<uint64_t>>& rows) {
    for (size_t rank = 0; rank < rows.size(); ++rank) {
      SampledBatch& batch = batches_[rank];
      batch.forwards = 1;
      batch.rows = rows[rank].size();
      batch.sum = std::accumulate(rows[rank].begin(), rows[rank].end(), uint64_t{0});
      batch.hashes = rows[rank];
      std::sort(batch.hashes.begin(), batch.hashes.end());
      batch.hashes.resize(std::min(batch.hashes.size(), SampledBatch::kMostHashes));
    }
  }
  std::vector<SampledReduction>& pending(size_t rank) {
    return pending_[rank];
  }
  /// Samples a step on all ranks.
  void step(uint64_t number) {
    job_.step(number);
    for (size_t rank = 0; rank < pending_.size(); ++rank) {
      Sample& sample = job_.processes()[rank].samples.back();
      sample.reductions = std::exchange(pending_[rank], {});
      sample.gradient_elements = 64;
      sample.batch = std::exchange(batches_[rank], {});
    }
  }
  VerifyJob& job() {
    return job_;
  }
  std::vector<ProcessSamples>& processes() {
    return job_.processes();
  }
  JobFacts& facts() {
    return facts_;
  }

 private:
  VerifyJob job_;
  JobFacts facts_;
  std::vector<std::vector<SampledReduction>> pending_;
  std::vector<SampledBatch> batches_;
  uint64_t sequence_ = 0;
};

} // namespace commtap
