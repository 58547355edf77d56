// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_writer.h"

namespace commtap {

/// Finds where the training steps of this process begin and end.
///
/// A step ends when the first forward of a root module begins after an optimizer has stepped. So several optimizers
/// that step in sequence, or inside the backward, end one step. After the job's first mark(), only mark() ends a
/// step.
class Steps {
 public:
  /// Notes that an optimizer's step has ended. Any thread.
  static void optimizerStepped();
  /// Notes that an outermost module call or named scope begins outside any backward.
  static void forwardBegins(LedgerWriter& ledger) {
    if (optimizer_has_stepped_.load(std::memory_order_relaxed)) {
      closeIfStepped();
    }
    ledger.openStep().forward_passes.fetch_add(1, std::memory_order_relaxed);
  }
  /// Notes a collective issued in the backward that autograd numbers `graph_task`.
  static void inBackward(int64_t graph_task);
  /// Ends the step at the job's request.
  static void mark();

  static void resetInForkedChild();

 private:
  static void closeIfStepped();

  static std::atomic<bool> optimizer_has_stepped_;
};

} // namespace commtap
