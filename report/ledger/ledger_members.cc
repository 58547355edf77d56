// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_members.h"

namespace commtap {

void LedgerMembers::countMember(const LedgerCollective& row, uint32_t module, LedgerAmount amount) {
  if (!created_.load(std::memory_order_acquire) && !create()) {
    store_.notSeen(NotSeen::kMembersUnknown, store_.text(row.key.op));
    return;
  }
  const auto number = static_cast<uint32_t>(&row - store_.records<kCollectives>());
  if (LedgerMember* member = rows_.findOrAdd({number, module}, row.key.op)) {
    member->bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
    member->count.fetch_add(amount.count, std::memory_order_relaxed);
  }
}

bool LedgerMembers::create() {
  const LedgerLock lock(store_.appending());
  const bool created = rows_.create(lock);
  created_.store(created, std::memory_order_release);
  return created;
}

} // namespace commtap
