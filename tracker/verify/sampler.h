// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

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

} // namespace commtap
