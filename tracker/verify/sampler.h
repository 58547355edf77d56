// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <c10/core/TensorImpl.h>

#include "report/model/options.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/python_host.h"
#include "tracker/verify/step_inputs.h"

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

  /// Returns whether the next step of an optimizer has a sample, and so what enters the model and the reductions before
  /// it. The next ones are called only then, and may throw.
  static bool isRecording() {
    return is_recording_.load(std::memory_order_relaxed);
  }
  /// Reads the tensors of a call that is about to run. Leaves out calls that may be of gradients before any forward.
  static void reductionBegins(const ReductionCall& call, std::span<const c10::TensorImpl* const> tensors);
  /// Reads the arguments of an outermost module's call that is about to run, outside of backward and with gradients.
  static void forwardBegins(std::span<const c10::TensorImpl* const> tensors);
  /// Returns a number that changes if torch's default generator of the CPU draws.
  static uint64_t generatorState();
  /// Notes the end of a call whose begin forwardBegins() noted. `generator`: the generatorState() before the call.
  static void forwardEnds(uint64_t generator);
  /// Notes what cannot be read.
  static void noteGap(std::string_view why);
  /// Sets isRecording().
  static void record(bool is_on) {
    is_recording_.store(is_on, std::memory_order_relaxed);
  }

  /// Runs before the process or CUDA shuts down. Gives GPUs 0.1 s for the samples that wait for them; those that then
  /// still wait are lost. May run more than once.
  static void finish();
  /// Notes, at the end of a process that has trained, that no step of it was seen to begin.
  static void noteUnseenSteps();

  static void resetInForkedChild();
  static ForkLock forkLock();

 private:
  static void recordFirst();

  static constinit std::atomic<bool> is_on_;
  static constinit std::atomic<bool> is_recording_;
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
