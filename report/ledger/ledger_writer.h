// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "report/ledger/ledger_collectives.h"
#include "report/ledger/ledger_graphs.h"
#include "report/ledger/ledger_groups.h"
#include "report/ledger/ledger_modules.h"
#include "report/ledger/ledger_nccl.h"
#include "report/ledger/ledger_operations.h"
#include "report/ledger/ledger_sequences.h"
#include "report/ledger/ledger_splits.h"
#include "report/ledger/ledger_steps.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes one process's ledger: the store and a writer for each group of sections. Every method may be called from any
/// thread. Only intern() and the methods that add a record take a lock.
class LedgerWriter final : public LedgerStore,
                           public LedgerGroups,
                           public LedgerModules,
                           public LedgerSteps,
                           public LedgerCollectives,
                           public LedgerOperations,
                           public LedgerNccl,
                           public LedgerGraphs,
                           public LedgerSequences,
                           public LedgerSplitRows {
 public:
  /// Returns nullptr if there is no memory.
  static std::unique_ptr<LedgerWriter> create(LedgerSize size = LedgerSize::kFull);

  using LedgerCollectives::row;
  using LedgerNccl::row;
  using LedgerOperations::row;

  /// Sets all counts, bytes, module calls and not-seen entries to 0. What other threads add at the same time may stay.
  void zeroCounters();

  /// Runs in a forked child if a thread of the parent may have been appending: keeps what readers can see. Call
  /// resetInForkedChild() next.
  void repairInForkedChild();
  /// Runs in a forked child: leaves the parent's file alone, keeps the names, and starts all counters at 0 in the
  /// child's own memory.
  void resetInForkedChild();

 private:
  LedgerWriter();

  bool initialize();
};

} // namespace commtap
