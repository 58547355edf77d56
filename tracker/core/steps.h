// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_writer.h"

namespace commtap {

/// Where the training steps of this process begin and end.
///
/// A step is over when, after an optimizer has stepped, the next forward of a root module begins: so several
/// optimizers that step one after the other, or inside the backward, end one step. A job that says itself where its
/// steps end (markStep) is believed, and its optimizers no longer count.
class Steps {
 public:
  /// An optimizer's step has ended on some thread.
  static void optimizerStepped();
  /// A call of a module, or a named scope, begins that is in no other and in no backward.
  static void forwardBegins(LedgerWriter& ledger) {
    if (optimizer_has_stepped_.load(std::memory_order_relaxed)) {
      closeIfStepped();
    }
    ledger.openStep().forward_passes.fetch_add(1, std::memory_order_relaxed);
  }
  /// A collective was issued in a backward: `graph_task` is autograd's number of it.
  static void inBackward(int64_t graph_task);
  /// The job says that its step is over.
  static void mark();

  static void resetInForkedChild();

 private:
  static void closeIfStepped();

  static std::atomic<bool> optimizer_has_stepped_;
};

} // namespace commtap
