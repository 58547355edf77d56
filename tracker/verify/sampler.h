// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report/model/options.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// Takes samples for `commtap verify`: at the start of an optimizer's step, the digests of its parameters and
/// gradients, which go to the samples file at once, or, if GPUs have some of the tensors, at a later step by which the
/// GPUs have made the digests. At the end of a step it is too late: some jobs communicate after the step. Any thread.
class Sampler {
 public:
  /// Samples these steps of each optimizer, if there are any.
  static void start(const SampledSteps& steps);
  /// Sets the Python part's function; a process without Python has none, and takes no samples.
  static void setFunction(decltype(CommtapPython::sample_step) sample_step);

  static bool isOn() {
    return is_on_.load(std::memory_order_relaxed);
  }
  /// Notes that a torch optimizer's step begins on this thread. Call only if isOn() is true.
  static void stepBegins() noexcept;

  /// Runs before the process or CUDA shuts down. Gives GPUs 0.1 s for the samples that wait for them; those that then
  /// still wait are lost. May run more than once.
  static void finish();
  /// Notes, at the end of a process that has trained, that no step of it was seen to begin.
  static void noteUnseenSteps();

  static void resetInForkedChild();
  static ForkLock forkLock();

 private:
  static constinit std::atomic<bool> is_on_;
};

/// Says what of a sample is kept, so that a file stays small if a process has very many parameters. The choice depends
/// on a parameter's name and the number of parameters alone: it is the same on each rank that holds a replica.
class SampleThinning {
 public:
  static constexpr size_t kMostRows = 16384;    ///< from the third sample of an optimizer on
  static constexpr size_t kMostWithSums = 4096; ///< in each sample

  /// A sample of `parameters` parameters, after `earlier` samples of the same optimizer.
  SampleThinning(size_t parameters, uint64_t earlier);

  bool hasRow(std::string_view name) const;
  bool hasSums(std::string_view name) const;

 private:
  uint32_t rows_; ///< one of so many has a row; a power of two, so that fewer ones are among more
  uint32_t sums_;
};

} // namespace commtap
