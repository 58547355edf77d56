// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_writer.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// Finds where the steps of this process begin and end.
///
/// A training step ends when the first forward of a root module begins after an optimizer has stepped. So several
/// optimizers that step in sequence, or inside the backward, end one step. While no optimizer was seen to step, as when
/// `optimizer.step` is compiled, Optimizer.zero_grad after a forward is taken for the sign. While neither was seen, a
/// parameter that has been changed in place is, as for an optimizer of the job's own. A process that has only run
/// forwards without gradients evaluates or infers: each of these forwards is a step. After the job's first mark(), only
/// mark() ends a step.
class Steps {
 public:
  /// Notes that an optimizer's step has ended, or communicates. Any thread.
  static void optimizerStepped();
  /// Notes that an optimizer clears its gradients. Any thread.
  static void gradientsZeroed();
  /// Returns whether parameters are a sign, so that parametersChanged() is to be called.
  static bool seekParameters() {
    return seek_parameters_.load(std::memory_order_relaxed);
  }
  /// Notes that the outermost call of a model begins, with gradients, whose parameters were changed since the last one.
  static void parametersChanged();
  /// Notes that an outermost module call or named scope begins outside any backward.
  static void forwardBegins(LedgerWriter& ledger) {
    if (forward_may_end_step_.load(std::memory_order_relaxed)) {
      endStepBefore(ledger);
    }
    ledger.openStep().forward_passes.fetch_add(1, std::memory_order_relaxed);
  }
  /// Notes a collective issued in the backward that autograd numbers `graph_task`.
  static void inBackward(int64_t graph_task);
  /// Ends the step at the job's request.
  static void mark();

  static void resetInForkedChild();

 private:
  static void endsWithNextForward(StepSign sign);
  static void endStepBefore(LedgerWriter& ledger);

  static std::atomic<bool> forward_may_end_step_;
  static std::atomic<bool> seek_parameters_;
};

} // namespace commtap
