// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "report/ledger/ledger_collectives.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_groups.h"
#include "report/ledger/ledger_nccl.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes the section of steps. Any thread.
class LedgerSteps {
 public:
  explicit LedgerSteps(LedgerStore& store) : store_(store) {}

  /// Returns the running step, to which threads add without a lock.
  LedgerStep& openStep() {
    return store_.records<kSteps>()[0];
  }
  /// Returns the number of the running step.
  uint64_t stepNumber() {
    return store_.header().step.load(std::memory_order_relaxed);
  }
  /// Notes that the running step trains: an optimizer has stepped in it, or it wants gradients.
  void stepTrains() {
    openStep().training_steps.store(1, std::memory_order_relaxed);
  }
  /// Notes what ends the running step once a forward begins. If it is the first one, the report says so; later steps
  /// are described by those that have ended.
  void signSeen(StepSign sign);
  /// Ends the running step, because of `sign`, and begins the next one. `now_ns` is steady clock time.
  void closeStep(uint64_t now_ns, StepSign sign);

 protected:
  /// Removes all steps: the running one is again the first.
  void restartSteps(const LedgerLock& lock);

 private:
  LedgerStore& store_;
};

/// Ends the step in records[0] at `now_ns` and begins the next one there. What threads add to records[0] at the same
/// time counts for one of the two. `used` is the number of records in use, and there must be another one free. Returns
/// the new number of records in use.
uint64_t closeStep(std::span<LedgerStep> records, uint64_t used, uint64_t number, uint64_t now_ns);

/// Joins the steps after the first kExactSteps in pairs, once all records are used: a week of steps fits. Returns the
/// new number of records in use.
uint64_t joinSteps(std::span<LedgerStep> records, uint64_t used);

void clearStep(LedgerStep& record);

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
