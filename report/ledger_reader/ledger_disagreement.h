// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "report/ledger_reader/ledger_reading.h"

namespace commtap {

/// How many collectives a process may have left half counted: it adds to several numbers one after the other, and
/// SIGKILL can come between two of them.
struct Unfinished {
  uint64_t most = 0; ///< 0: the process exited by itself

  /// Returns whether `later`, which is added to after `sooner`, lacks no more than such collectives.
  bool explains(uint64_t sooner, uint64_t later) const {
    return sooner - later <= most; // a larger `later` wraps around
  }
};

inline bool wasNotSeen(const LedgerHeader& header, NotSeen reason) {
  return header.not_seen[static_cast<size_t>(reason)].count.load(std::memory_order_relaxed) != 0;
}

/// Returns "ONE (FIRST) and OTHER (SECOND) do not agree".
std::string differ(const std::string& one, uint64_t first, const std::string& other, uint64_t second);

/// Returns what is wrong with the ring of the last collectives, in one line; "" if nothing is.
std::string ringDisagreement(const LedgerReading& reading, const Unfinished& unfinished);

} // namespace commtap
