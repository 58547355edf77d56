// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_nccl.h"

#include <new>

#include "report/ledger/ledger_checks.h"

namespace commtap {

LedgerGraph* LedgerGraphs::addGraph() {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kGraphs, 1, lock);
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kGraphTableFull, "graphs", 1, lock);
    return nullptr;
  }
  store_.commit(kGraphs, index + 1, lock);
  return &store_.records<kGraphs>()[index];
}

void LedgerGraphs::addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount) {
  addCall(graph, false, static_cast<uint32_t>(&row - store_.records<kCollectives>()), amount);
}

void LedgerGraphs::addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount) {
  addCall(graph, true, static_cast<uint32_t>(&row - store_.records<kNcclCalls>()), amount);
}

void LedgerGraphs::addCall(const LedgerGraph& graph, bool of_nccl, uint32_t row, LedgerAmount amount) {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kGraphCalls, 1, lock);
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kGraphTableFull, "calls", 1, lock);
    return;
  }
  LedgerGraphCall& call = *new (&store_.records<kGraphCalls>()[index]) LedgerGraphCall{
      .graph = static_cast<uint32_t>(&graph - store_.records<kGraphs>()),
      .row = row,
      .of_nccl = of_nccl ? 1U : 0U,
      .check = 0,
      .count = amount.count,
      .bytes = amount.bytes};
  call.check = checkOf(call, index);
  store_.commit(kGraphCalls, index + 1, lock);
}

} // namespace commtap
