// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// Returns an issued collective: it is counted in a row of its own and is among the last collectives.
inline OpFrame issuedCall(std::string_view op, uint64_t bytes, CollectiveKey key = {}) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  key.op = ledger.intern(op);
  key.group = kNoIndex;
  key.size_class = sizeClass(bytes);
  OpFrame call;
  call.row = ledger.row(key);
  call.op = key.op;
  call.bytes = bytes;
  call.issued_at_ns = 1;
  ledger.count(*call.row, {1, bytes});
  call.last = &ledger.noteLast(ledger.numberOf(call.row), 1, bytes, -1, 1);
  call.number = call.last->number;
  return call;
}

} // namespace commtap
