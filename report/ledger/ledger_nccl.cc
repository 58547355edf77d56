// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

namespace commtap {

bool LedgerWriter::countNccl(uint32_t version) {
  const LedgerLock lock(appending());
  if (!nccl_rows_.create(lock)) {
    return false;
  }
  if (used(kOpenCalls, lock) == 0) {
    if (reserve(kOpenCalls, kMostOpenCalls, lock) == kNoIndex) {
      return false;
    }
    commit(kOpenCalls, kMostOpenCalls, lock);
  }
  changeHeader(lock, [version](LedgerHeader& head) { head.nccl = version; });
  return true;
}

uint32_t LedgerWriter::addCommunicator() {
  const LedgerLock lock(appending());
  return indexOf<kCommunicators>(append<kCommunicators>(
      NotSeen::kNcclFull, "communicators", lock, [](LedgerCommunicator& added) { added.group = kNoIndex; }));
}

LedgerOpenCall* LedgerWriter::enter(StringId function, uint32_t group, uint64_t now_ns, uintptr_t start) {
  constexpr uint64_t kBeingWritten = 1;
  const uint64_t call = wordOf(function, group);
  for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
    const uint64_t number = (start + i) % kMostOpenCalls;
    LedgerOpenCall& open = records<kOpenCalls>()[number];
    uint64_t free = 0;
    if (open.entered_at_ns.compare_exchange_strong(free, kBeingWritten, std::memory_order_acquire)) {
      open.call.store(call, std::memory_order_relaxed);
      open.check.store(checkOfOpenCall(number, now_ns, call), std::memory_order_relaxed);
      open.entered_at_ns.store(now_ns, std::memory_order_release);
      return &open;
    }
  }
  return nullptr;
}

/// Runs in a forked child: the calls are open in the parent.
void LedgerWriter::leaveAllCalls() {
  for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
    leave(records<kOpenCalls>()[i]);
  }
}

LedgerGraph* LedgerWriter::addGraph() {
  const LedgerLock lock(appending());
  return append<kGraphs>(NotSeen::kGraphTableFull, "graphs", lock, [](const LedgerGraph& /*graph*/) {});
}

void LedgerWriter::addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount) {
  addCall(graph, false, indexOf<kCollectives>(&row), amount);
}

void LedgerWriter::addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount) {
  addCall(graph, true, indexOf<kNcclCalls>(&row), amount);
}

void LedgerWriter::addCall(const LedgerGraph& graph, bool of_nccl, uint32_t row, LedgerAmount amount) {
  const LedgerLock lock(appending());
  append<kGraphCalls>(NotSeen::kGraphTableFull, "calls", lock, [&](LedgerGraphCall& call) {
    call = {indexOf<kGraphs>(&graph), row, of_nccl ? 1U : 0U, 0, amount.count, amount.bytes};
  });
}

} // namespace commtap
