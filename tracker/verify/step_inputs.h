// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include "report/samples/samples.h"

namespace commtap {

// Why inputs of a step are not in its sample.
inline constexpr std::string_view kUnreadReductions = "tensors of reductions that are not in the memory of the CPU";
inline constexpr std::string_view kTooManyReductions = "tensors of reductions beyond the first 1024 of a step";
inline constexpr std::string_view kCompiledReductions =
    "reductions in the backward of compiled code, which may be of gradients";
inline constexpr std::string_view kUnreadForwards = "forwards whose tensors are not in the memory of the CPU";
inline constexpr std::string_view kForwardsWithoutTensors = "forwards without tensors among their arguments";
inline constexpr std::string_view kTooManyForwards = "forwards beyond the first 1024 of a step";

/// A call that sums or averages, in which this rank's tensors are gradients or may be.
struct ReductionCall {
  std::string group;
  uint64_t sequence = 0;
  std::string module;
  bool is_gradient = false; ///< false: only if a parameter's gradient has the memory
};

/// Reads the tensors that enter the model and the reductions of gradients between a step and the next one that has a
/// sample. Reads tensors of the CPU; others are gaps. Holds no tensor, but the address of each storage object, so that
/// no other storage gets it. Not for several threads at once.
class StepInputs {
 public:
  static constexpr size_t kMostReductions = 1024; ///< tensors
  static constexpr uint64_t kMostForwards = 1024;

  /// A tensor of a call, read before the call may change it.
  struct Reduced {
    SampledReduction reduction;
    c10::weak_intrusive_ptr<c10::StorageImpl> storage; ///< null if the call is known to be of gradients
  };
  /// Returns the tensors of a call, and adds to `unread` how many could not be read. Numbers that are no floats are no
  /// gradients.
  static std::vector<Reduced>
  read(const ReductionCall& call, std::span<const c10::TensorImpl* const> tensors, uint64_t& unread);
  /// Returns the rows that the tensors of a call have together; nullopt if none of them can be read.
  static std::optional<SampledBatch> readRows(std::span<const c10::TensorImpl* const> tensors);

  bool hasRoom() const {
    return reductions_.size() < kMostReductions;
  }
  /// Returns whether a reduction outside of backward can be one of gradients: after a forward, before the step.
  bool hasForward() const {
    return batch_.forwards > 0;
  }
  void add(std::vector<Reduced> reduced);
  /// Notes a forward of an outermost module. Returns whether its rows may be added.
  bool forwardBegins(bool has_autocast) {
    batch_.has_autocast |= has_autocast;
    return ++batch_.forwards <= kMostForwards;
  }
  void add(const SampledBatch& rows);
  /// Notes that a forward drew random numbers.
  void noteDraws() {
    batch_.has_draws = true;
  }
  void addGap(std::string_view why, uint64_t count = 1);

  /// Counts a parameter's gradient, and marks the reductions that had its memory.
  void noteGradient(const c10::TensorImpl& gradient, std::string_view parameter);
  /// Moves everything into a sample.
  void moveTo(Sample& sample);

 private:
  std::vector<Reduced> reductions_;
  std::unordered_map<const c10::StorageImpl*, std::vector<size_t>> by_storage_; ///< those whose storage is known
  uint64_t gradient_elements_ = 0;
  SampledBatch batch_;
  std::vector<SampledGap> gaps_;
};

} // namespace commtap
