// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/steps.h"

#include <atomic>

#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/torch_compat.h"

namespace commtap {
namespace {

std::atomic<bool> job_marks_steps{false};
/// An optimizer's own label was seen, so zero_grad is no sign.
std::atomic<bool> optimizer_seen{false};
/// The next outermost forward ends the step.
std::atomic<bool> step_is_over{false};
/// All outermost forwards so far ran without gradients, and no optimizer was seen.
std::atomic<bool> only_evaluates{true};
/// Autograd numbers a process's backward passes from 0, including those without collectives.
std::atomic<int64_t> last_graph_task{-1};

void close() {
  ProcessLedger::ledger().closeStep(steadyNow());
}

bool hasForward(LedgerWriter& ledger) {
  return ledger.openStep().forward_passes.load(std::memory_order_relaxed) > 0;
}

} // namespace

std::atomic<bool> Steps::forward_may_end_step_{true};

void Steps::endsWithNextForward() {
  if (!job_marks_steps.load(std::memory_order_relaxed)) {
    only_evaluates.store(false, std::memory_order_relaxed);
    step_is_over.store(true, std::memory_order_relaxed);
    forward_may_end_step_.store(true, std::memory_order_relaxed);
  }
}

void Steps::optimizerStepped() {
  optimizer_seen.store(true, std::memory_order_relaxed);
  endsWithNextForward();
}

void Steps::gradientsZeroed() {
  // Most loops also clear gradients before the first forward.
  if (!optimizer_seen.load(std::memory_order_relaxed) && hasForward(ProcessLedger::ledger())) {
    endsWithNextForward();
  }
}

/// Closes the step on exactly one thread if several begin a forward at once after an optimizer has stepped.
void Steps::endStepBefore(LedgerWriter& ledger) {
  const bool evaluated = only_evaluates.load(std::memory_order_relaxed);
  if (!evaluated || compat::gradEnabled()) {
    only_evaluates.store(false, std::memory_order_relaxed);
    forward_may_end_step_.store(false, std::memory_order_relaxed);
  }
  if (step_is_over.exchange(false) || (evaluated && hasForward(ledger))) {
    close();
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

void Steps::mark() {
  job_marks_steps.store(true, std::memory_order_relaxed);
  only_evaluates.store(false, std::memory_order_relaxed);
  step_is_over.store(false, std::memory_order_relaxed);
  close();
}

void Steps::resetInForkedChild() {
  optimizer_seen.store(false, std::memory_order_relaxed);
  step_is_over.store(false, std::memory_order_relaxed);
  only_evaluates.store(!job_marks_steps.load(std::memory_order_relaxed), std::memory_order_relaxed);
  forward_may_end_step_.store(true, std::memory_order_relaxed);
}

} // namespace commtap
