// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <new>

namespace commtap {

std::unique_ptr<LedgerWriter> LedgerWriter::create(LedgerSize size) {
  std::unique_ptr<LedgerWriter> writer(new (std::nothrow) LedgerWriter());
  return writer && writer->map(size) && writer->initialize() ? std::move(writer) : nullptr;
}

/// Makes an empty ledger of zeroed memory. Returns false if there is no memory for the index of rows.
bool LedgerWriter::initialize() {
  {
    const LedgerLock lock(appending());
    writeHeader(lock);
    if (!collective_rows_.create(lock)) {
      return false;
    }
    commit(kStrings, sizeof(LedgerString), lock); // the empty string: length 0 at offset 0
    indexStrings(lock);
    commit(kSteps, 1, lock);
    restartSequences(lock);
  }
  addModule(kNoIndex, "Global", "", 0);
  return true;
}

void LedgerWriter::zeroCounters() {
  const LedgerLock lock(appending());
  for (LedgerNotSeen& entry : header().not_seen) {
    entry.detail.store(0);
  }
  changeHeader(lock, [](LedgerHeader& head) { ++head.resets; });
  zeroAllCounters(lock);
  clearLast();
  restartSteps(lock);
}

void LedgerWriter::repairInForkedChild() {
  const LedgerLock lock(appending());
  keepPublishedInForkedChild();
  indexStrings(lock);
  collective_rows_.completeIndex(lock);
  members_.completeIndex(lock);
  stalls_.completeIndex(lock);
  split_rows_.completeIndex(lock);
  operation_rows_.completeIndex(lock);
  nccl_rows_.completeIndex(lock);
}

void LedgerWriter::resetInForkedChild() {
  if (!leaveParentsMemory()) {
    initialize(); // the names are lost, but the parent's ledger is left alone
  }
  header().exit.store(static_cast<uint32_t>(ExitKind::kRunning));
  leaveAllCalls();
  zeroCounters();
  header().resets = 0; // no other thread counts here
}

} // namespace commtap
