// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/steps.h"

#include <atomic>

#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

std::atomic<bool> job_marks_steps{false};
/// Autograd numbers a process's backward passes from 0, including those without collectives.
std::atomic<int64_t> last_graph_task{-1};

void close() {
  ProcessLedger::ledger().closeStep(steadyNow());
}

} // namespace

std::atomic<bool> Steps::optimizer_has_stepped_{false};

void Steps::optimizerStepped() {
  if (!job_marks_steps.load(std::memory_order_relaxed)) {
    optimizer_has_stepped_.store(true, std::memory_order_relaxed);
  }
}

/// Closes the step on exactly one thread if several begin a forward at once.
void Steps::closeIfStepped() {
  if (optimizer_has_stepped_.exchange(false)) {
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
  optimizer_has_stepped_.store(false, std::memory_order_relaxed);
  close();
}

void Steps::resetInForkedChild() {
  optimizer_has_stepped_.store(false, std::memory_order_relaxed);
}

} // namespace commtap
