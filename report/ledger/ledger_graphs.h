// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/ledger/ledger_collectives.h"
#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes the sections of CUDA graphs and the calls that each launch makes. Any thread.
class LedgerGraphs {
 public:
  explicit LedgerGraphs(LedgerStore& store) : store_(store) {}

  /// Adds a graph that communicates. Returns nullptr if the table is full (counted as not seen).
  LedgerGraph* addGraph();
  /// Adds `amount` calls of `row` to each launch of `graph`. Counted as not seen if the table is full.
  void addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount);
  void addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount);

 private:
  void addCall(const LedgerGraph& graph, bool of_nccl, uint32_t row, LedgerAmount amount);

  LedgerStore& store_;
};

} // namespace commtap
