// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/ledger/ledger_writer.h"
#include "report/model/model.h"

namespace commtap {

/// Returns the key of a row of an op, without a group.
inline CollectiveKey keyFor(LedgerWriter& ledger, const std::string& op) {
  CollectiveKey key{};
  key.op = ledger.intern(op);
  key.group = kNoIndex;
  return key;
}

/// Returns the calls of an op in a report; 0 if it has none.
inline uint64_t countOf(const Report& report, const std::string& op) {
  for (const Collective& row : report.collectives) {
    if (row.op == op) {
      return row.count;
    }
  }
  return 0;
}

/// Returns how often something was not seen for a reason.
inline uint64_t notSeenOf(const Report& report, std::string_view reason) {
  for (const NotSeenEntry& entry : report.not_seen) {
    if (entry.reason == reason) {
      return entry.count;
    }
  }
  return 0;
}

} // namespace commtap
