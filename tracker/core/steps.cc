// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/steps.h"

#include <atomic>

#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

std::atomic<bool> job_marks_steps{false};
/// The sign because of which the next outermost forward ends the step; kNoSign: it does not end it.
constexpr int kNoSign = -1;
constinit std::atomic<int> step_is_over{kNoSign};
/// All outermost forwards so far ran without gradients, and no optimizer was seen.
std::atomic<bool> only_evaluates{true};
/// Some module calls were not seen.
std::atomic<bool> forwards_unseen{false};
/// Autograd numbers a process's backward passes from 0, including those without collectives.
std::atomic<int64_t> last_graph_task{-1};

void close(StepSign sign) {
  ProcessLedger::ledger().closeStep(steadyNow(), sign);
}

bool hasForward(LedgerWriter& ledger) {
  return ledger.openStep().forward_passes.load(std::memory_order_relaxed) > 0;
}

} // namespace

std::atomic<bool> Steps::forward_may_end_step_{true};
std::atomic<bool> Steps::seek_parameters_{true};
std::atomic<bool> Steps::optimizer_seen_{false};
std::atomic<bool> Steps::in_setup_{true};

void Steps::endsWithNextForward(StepSign sign) {
  if (!job_marks_steps.load(std::memory_order_relaxed)) {
    only_evaluates.store(false, std::memory_order_relaxed);
    step_is_over.store(static_cast<int>(sign), std::memory_order_relaxed);
    ProcessLedger::ledger().signSeen(sign); // the job may end before that forward
    forward_may_end_step_.store(true, std::memory_order_relaxed);
  } else if (sign == StepSign::kOptimizer) { // it is in the step that the next mark ends
    ProcessLedger::ledger().stepTrains();
  }
}

/// A closure clears the gradients, and LBFGS changes the parameters between its calls of one: both inside a step.
void Steps::optimizerBegins() {
  const bool is_first = !optimizer_seen_.load(std::memory_order_relaxed) && !optimizer_seen_.exchange(true);
  if (is_first && !job_marks_steps.load(std::memory_order_relaxed)) {
    ProcessLedger::ledger().noStepTrained();
  }
  seek_parameters_.store(false, std::memory_order_relaxed);
}

void Steps::optimizerStepped() {
  optimizerBegins();
  endsWithNextForward(StepSign::kOptimizer);
}

void Steps::gradientsZeroed() {
  seek_parameters_.store(false, std::memory_order_relaxed);
  // Most loops also clear gradients before the first forward.
  if (!optimizer_seen_.load(std::memory_order_relaxed) && hasForward(ProcessLedger::ledger())) {
    endsWithNextForward(StepSign::kZeroGrad);
  }
}

void Steps::parametersChanged() {
  endsWithNextForward(StepSign::kParameters);
}

/// Closes the step on exactly one thread if several begin a forward at once after an optimizer has stepped.
void Steps::endStepBefore(LedgerWriter& ledger) {
  const bool evaluated = only_evaluates.load(std::memory_order_relaxed);
  if (!evaluated || compat::gradEnabled()) {
    only_evaluates.store(false, std::memory_order_relaxed);
    forward_may_end_step_.store(false, std::memory_order_relaxed);
  }
  const int sign = step_is_over.exchange(kNoSign);
  if (sign != kNoSign || (evaluated && hasForward(ledger))) {
    close(sign == kNoSign ? StepSign::kForward : static_cast<StepSign>(sign));
  }
}

void Steps::endStepIfOver() {
  if (const int sign = step_is_over.exchange(kNoSign); sign != kNoSign) {
    close(static_cast<StepSign>(sign));
  }
}

void Steps::inBackward(int64_t graph_task) {
  int64_t before = last_graph_task.load(std::memory_order_relaxed);
  while (before < graph_task) {
    if (last_graph_task.compare_exchange_weak(before, graph_task, std::memory_order_relaxed)) {
      const auto more = static_cast<uint64_t>(graph_task - before);
      ProcessLedger::ledger().openStep().backward_passes.fetch_add(more, std::memory_order_relaxed);
      return;
    }
  }
}

int64_t Steps::lastBackward() {
  return last_graph_task.load(std::memory_order_relaxed);
}

void Steps::inClosure(int64_t last) {
  const auto made = static_cast<uint64_t>(lastBackward() - last);
  ProcessLedger::ledger().openStep().closure_passes.fetch_add(made, std::memory_order_relaxed);
}

/// Without an optimizer that says so, a step with a forward that wants gradients trains. What ends it may not come: a
/// job's last step has no forward behind it.
void Steps::noteTraining(LedgerWriter& ledger) {
  if (compat::gradEnabled()) {
    ledger.stepTrains();
  }
}

bool Steps::isSetupStill(Phase phase, bool compiled) {
  // The state of an optimizer may be made by a step before the first forward.
  const bool is_setup = !compiled && (phase == Phase::kOther || phase == Phase::kOptimizer);
  if (!is_setup) {
    in_setup_.store(false, std::memory_order_relaxed);
  }
  return is_setup;
}

void Steps::forwardsUnseen() {
  forwards_unseen.store(true, std::memory_order_relaxed);
  in_setup_.store(false, std::memory_order_relaxed);
}

void Steps::mark() {
  in_setup_.store(false, std::memory_order_relaxed);
  job_marks_steps.store(true, std::memory_order_relaxed);
  seek_parameters_.store(false, std::memory_order_relaxed);
  only_evaluates.store(false, std::memory_order_relaxed);
  step_is_over.store(kNoSign, std::memory_order_relaxed);
  close(StepSign::kMark);
}

void Steps::resetInForkedChild() {
  optimizer_seen_.store(false, std::memory_order_relaxed);
  step_is_over.store(kNoSign, std::memory_order_relaxed);
  only_evaluates.store(!job_marks_steps.load(std::memory_order_relaxed), std::memory_order_relaxed);
  forward_may_end_step_.store(true, std::memory_order_relaxed);
  seek_parameters_.store(!job_marks_steps.load(std::memory_order_relaxed), std::memory_order_relaxed);
  in_setup_.store(!forwards_unseen.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

} // namespace commtap
