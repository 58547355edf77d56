// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/samples/samples.h"

namespace commtap {

/// Returns a parameter with all declarations that a row can have.
inline SampledParameter fullParameter() {
  SampledParameter parameter;
  parameter.name = "Net.layers.0.\"weight\"";
  parameter.optimizer = 3;
  parameter.is_in_optimizer = false;
  parameter.has_model_name = false;
  parameter.shape = {8, 16};
  parameter.local_shape = {4, 16};
  parameter.dtype = "bfloat16";
  parameter.requires_grad = false;
  parameter.mesh = R"({"dim_names":["dp","tp"],"shape":[2,2],"ranks":[0,1,2,3]})";
  parameter.placements = {"Replicate()", "Shard(dim=0)"};
  parameter.coordinate = {0, 1};
  parameter.tensor_model_parallel = true;
  parameter.sequence_parallel = false;
  parameter.allreduce = false;
  parameter.ddp_ranks = {0, 2};
  parameter.is_fsdp1_flat = true;
  parameter.is_buffer = true;
  return parameter;
}

inline SampledParameter plainParameter(const std::string& name) {
  SampledParameter parameter;
  parameter.name = name;
  parameter.shape = parameter.local_shape = {2};
  parameter.dtype = "float32";
  return parameter;
}

/// Returns a digest whose numbers are those of `seed`, exact in float32.
inline Digest digestOf(uint64_t seed) {
  Digest digest;
  digest.bits = seed * 0x9e3779b97f4a7c15U;
  digest.squares = static_cast<double>(seed) + 0.5;
  for (int j = 0; j < kDigestSums; ++j) {
    digest.sums[j] = static_cast<double>(seed) - j * 0.25;
  }
  digest.is_constant = seed % 2 == 0;
  digest.has_non_finite = seed % 3 == 0;
  return digest;
}

/// Returns a sample with a row for each of `parameters` parameters.
inline Sample sampleOf(uint64_t step, uint32_t parameters) {
  Sample sample;
  sample.optimizer = 1;
  sample.step = step;
  sample.at_ns = 1'700'000'000'000'000'000U + step;
  sample.groups = {{"default_pg", 10 * step}, {"", 0}};
  for (uint32_t i = 0; i < parameters; ++i) {
    SampleRow row;
    row.parameter = i;
    row.has_gradient = i != 1;
    row.is_gradient_unknown = i == 1;
    row.is_gradient_partial = i == 2;
    row.value = digestOf(step * 100 + i);
    row.gradient = row.has_gradient ? digestOf(step * 1000 + i) : Digest();
    sample.rows.push_back(row);
  }
  sample.reductions = {
      {"default_pg", step, 0, "Net", 64, true, digestOf(step)}, {"", step + 1, 2, "", 0, false, digestOf(step + 1)}};
  sample.gradient_elements = 70 + step;
  sample.batch = {2, 3, step, {1, 5, 9}};
  sample.gaps = {{"forwards that were not read", step}};
  return sample;
}

/// Returns whether two parameters, digests or samples are equal in all members.
bool areEqual(const SampledParameter& one, const SampledParameter& other);
bool areEqual(const Sample& one, const Sample& other);

} // namespace commtap
