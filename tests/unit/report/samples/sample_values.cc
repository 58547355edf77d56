// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/report/samples/sample_values.h"

#include <algorithm>
#include <tuple>

namespace commtap {
namespace {

auto membersOf(const SampledParameter& p) {
  return std::tie(
      p.name,
      p.optimizer,
      p.is_in_optimizer,
      p.has_model_name,
      p.shape,
      p.local_shape,
      p.dtype,
      p.requires_grad,
      p.mesh,
      p.placements,
      p.coordinate,
      p.tensor_model_parallel,
      p.sequence_parallel,
      p.allreduce,
      p.ddp_ranks,
      p.is_fsdp1_flat,
      p.is_buffer,
      p.has_place,
      p.part);
}

auto membersOf(const Digest& d) {
  return std::tie(d.bits, d.squares, d.sums, d.is_constant, d.has_non_finite);
}

auto membersOf(const SampleRow& r) {
  return std::tie(
      r.parameter,
      r.has_gradient,
      r.is_gradient_unknown,
      r.is_gradient_partial,
      r.has_sums,
      r.has_gradient_place,
      r.is_gradient_whole,
      r.gradient_summed_over);
}

bool areEqual(const SampleRow& one, const SampleRow& other) {
  return membersOf(one) == membersOf(other) && membersOf(one.value) == membersOf(other.value) &&
         membersOf(one.gradient) == membersOf(other.gradient);
}

bool areEqual(const SampledReduction& one, const SampledReduction& other) {
  const auto members = [](const SampledReduction& r) {
    return std::tie(r.group, r.sequence, r.part, r.module, r.elements, r.is_gradient);
  };
  return members(one) == members(other) && membersOf(one.input) == membersOf(other.input);
}

bool areEqual(const SampledGap& one, const SampledGap& other) {
  return one.why == other.why && one.count == other.count;
}

bool areEqual(const SampledBatch& one, const SampledBatch& other) {
  return std::tie(one.forwards, one.rows, one.sum, one.hashes, one.has_draws, one.has_autocast) ==
         std::tie(other.forwards, other.rows, other.sum, other.hashes, other.has_draws, other.has_autocast);
}

bool areEqual(const SampledGroup& one, const SampledGroup& other) {
  return one.name == other.name && one.collectives == other.collectives;
}

template <typename Items>
bool areAllEqual(const Items& one, const Items& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(), [](const auto& a, const auto& b) { return areEqual(a, b); });
}

} // namespace

bool areEqual(const SampledParameter& one, const SampledParameter& other) {
  return membersOf(one) == membersOf(other);
}

bool areEqual(const Sample& one, const Sample& other) {
  return std::tie(one.optimizer, one.step, one.at_ns, one.gradient_elements) ==
             std::tie(other.optimizer, other.step, other.at_ns, other.gradient_elements) &&
         areAllEqual(one.groups, other.groups) && areAllEqual(one.rows, other.rows) &&
         areAllEqual(one.reductions, other.reductions) && areEqual(one.batch, other.batch) &&
         areAllEqual(one.gaps, other.gaps);
}

} // namespace commtap
