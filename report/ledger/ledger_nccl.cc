// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_nccl.h"

namespace commtap {

bool LedgerNccl::countNccl(uint32_t version) {
  const LedgerLock lock(store_.appending());
  if (!rows_.create(lock)) {
    return false;
  }
  store_.changeHeader(lock, [version](LedgerHeader& head) { head.nccl = version; });
  return true;
}

uint32_t LedgerNccl::addCommunicator() {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kCommunicators, 1, lock);
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kNcclFull, "communicators", 1, lock);
    return kNoIndex;
  }
  communicator(static_cast<uint32_t>(index)).group.store(checkedNumber(kNoIndex), std::memory_order_relaxed);
  store_.commit(kCommunicators, index + 1, lock);
  return static_cast<uint32_t>(index);
}

} // namespace commtap
