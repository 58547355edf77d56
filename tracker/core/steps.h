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
/// A training step ends when the first forward of a root module begins after an optimizer has stepped, or when the
/// first collective for such a forward is issued. So several optimizers that step in sequence, or inside the backward,
/// end one step. The forwards of a closure belong to the step that calls it. While no optimizer was seen to step, as
/// when `optimizer.step` is compiled, Optimizer.zero_grad after a forward is taken for the sign. While neither was
/// seen, a parameter that has been changed in place is, as for an optimizer of the job's own. A process that has only
/// run forwards without gradients evaluates or infers: each of these forwards is a step. After the job's first mark(),
/// only mark() ends a step.
///
/// The set-up of a process is what it communicates before its first forward begins: the first call of a root module, or
/// the first named scope, on any thread, with gradients or without. It is over also if the job marks a step, or
/// communicates inside a forward or backward whose beginning was not seen, as in compiled code.
class Steps {
 public:
  /// Notes that an optimizer's step begins: from here on no other sign ends a step. Any thread.
  static void optimizerBegins();
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
    if (forward_may_end_step_.load(std::memory_order_relaxed)) { // so it is at the first forward
      in_setup_.store(false, std::memory_order_relaxed);
      endStepBefore(ledger);
    }
    ledger.openStep().forward_passes.fetch_add(1, std::memory_order_relaxed);
    if (!optimizer_seen_.load(std::memory_order_relaxed)) {
      noteTraining(ledger);
    }
  }
  /// Notes a collective that is issued for a forward. A pipeline gathers and receives before the forward begins, so the
  /// first such collective after an optimizer's step ends the step.
  static void inForward() {
    if (forward_may_end_step_.load(std::memory_order_relaxed)) {
      endStepIfOver();
    }
  }
  /// Notes a collective issued in the backward that autograd numbers `graph_task`.
  static void inBackward(int64_t graph_task);
  /// Returns the number of the latest backward with a collective; -1 if there was none.
  static int64_t lastBackward();
  /// Notes that the backwards after `last` were made by an optimizer's closure.
  static void inClosure(int64_t last);
  /// Ends the step at the job's request.
  static void mark();
  /// Returns whether a collective that this process issues now is part of its set-up. `compiled`: a compiled graph
  /// issues it.
  static bool isSetup(Phase phase, bool compiled) {
    return in_setup_.load(std::memory_order_relaxed) && isSetupStill(phase, compiled);
  }
  /// Notes that module calls are not seen from here on, so the set-up's end would not be. No later collective of this
  /// process and of its children is set-up.
  static void forwardsUnseen();

  static void resetInForkedChild();

 private:
  static void endsWithNextForward(StepSign sign);
  static void endStepBefore(LedgerWriter& ledger);
  static void endStepIfOver();
  static void noteTraining(LedgerWriter& ledger);
  static bool isSetupStill(Phase phase, bool compiled);

  static std::atomic<bool> forward_may_end_step_;
  static std::atomic<bool> seek_parameters_;
  static std::atomic<bool> optimizer_seen_; ///< its own label, so that zero_grad is no sign
  static std::atomic<bool> in_setup_;
};

} // namespace commtap
